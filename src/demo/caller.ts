import type { ZodType, z } from 'zod';
import { DemoError } from './demo-error.js';
import type { Transcript } from './transcript.js';

/** One call of the story. */
interface DemoCall<Answer extends ZodType> {
  /** A sentence about the step. */
  readonly title: string;
  readonly path: string;
  /** With a body the call is a POST, else a GET. */
  readonly body?: object;
  /** Makes the call safe to repeat. */
  readonly idempotencyKey?: string;
  /** The expected HTTP status; 200 by default. */
  readonly status?: number;
  /** The part of the answer that the story needs. */
  readonly answer: Answer;
}

/** @throws {DemoError} without an answer, or for an unexpected one */
export type DemoCaller = <Answer extends ZodType>(
  call: DemoCall<Answer>,
) => Promise<z.output<Answer>>;

/** Makes calls below an address and writes them to the transcript. */
export const createCaller =
  (
    transcript: Transcript,
    baseUrl: string,
    headersFor: (bodyText: string) => Record<string, string> = () => ({}),
  ): DemoCaller =>
  async ({ title, path, body, idempotencyKey, status: expected = 200, answer }) => {
    const url = baseUrl + path;
    const method = body === undefined ? 'GET' : 'POST';
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      ...headersFor(text),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    };
    transcript.sent({ title, method, url, headers, body });
    const got = await send(url, {
      method,
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: text }),
    });
    transcript.got(got);
    if (got.status !== expected)
      throw new DemoError(`"${title}" expected the status ${expected}, but got ${got.status}.`);
    const read = answer.safeParse(got.body);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new DemoError(
      `"${title}" got an unexpected answer: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  };

async function send(url: string, request: RequestInit) {
  let response: Response;
  try {
    response = await fetch(url, request);
  } catch (error) {
    throw new DemoError(
      `Nothing answers at ${new URL(url).origin}: start the service with "npm start", wait until ` +
        'it prints its addresses, and run the demo again.',
      { cause: error },
    );
  }
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as unknown };
  } catch {
    throw new DemoError(`${url} answered ${response.status} and no JSON: is it this service?`);
  }
}
