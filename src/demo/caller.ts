import type { ZodType, z } from 'zod';
import { DemoError } from './demo-error.ts';
import type { Transcript } from './transcript.ts';

/** One page that the story reads. */
interface DemoCall<Answer extends ZodType> {
  /** A sentence about the step. */
  readonly title: string;
  readonly path: string;
  /** The part of the answer that the story needs. */
  readonly answer: Answer;
}

/** @throws {DemoError} without an answer, or for an unexpected one */
export type DemoCaller = <Answer extends ZodType>(
  call: DemoCall<Answer>,
) => Promise<z.output<Answer>>;

/** Reads below the address of the sandbox and writes that to the transcript. */
export const createCaller =
  (transcript: Transcript, baseUrl: string): DemoCaller =>
  async ({ title, path, answer }) => {
    const url = baseUrl + path;
    transcript.sent({ title, method: 'GET', url, headers: {}, body: undefined });
    const got = await read(url);
    transcript.got(got);
    const found = answer.safeParse(got.body);
    if (got.status === 200 && found.success) return found.data;
    throw new DemoError(`"${title}" got an unexpected answer, with the status ${got.status}.`);
  };

async function read(url: string) {
  let response: Response;
  try {
    response = await fetch(url, { headers: { Accept: 'application/json' } });
  } catch (error) {
    throw nothingAnswers(url, error);
  }
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as unknown };
  } catch {
    throw new DemoError(`${url} answered ${response.status} and no JSON: is it this service?`);
  }
}

/** The error of an address at which nothing listens. */
export const nothingAnswers = (url: string, cause: unknown): DemoError =>
  new DemoError(
    `Nothing answers at ${new URL(url).origin}: start the service with "npm start", wait until ` +
      'it prints its addresses, and run the demo again.',
    { cause },
  );
