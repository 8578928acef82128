import {
  ApiError,
  type ClientSettings,
  NoAnswerError,
  OpenRequestError,
} from '../../clients/typescript/src/index.ts';
import { nothingAnswers } from './caller.ts';
import { DemoError } from './demo-error.ts';
import type { Transcript } from './transcript.ts';

/**
 * Calls of a client, each after a sentence about the step; the transcript shows what is sent and
 * answered.
 *
 * @throws {DemoError} without an answer, or for a refusal
 */
export type Narrated<Client> = <Result>(
  title: string,
  call: (client: Client) => Promise<Result>,
) => Promise<Result>;

/** A demo that waits is none: fewer and shorter pauses than in production. */
const PATIENCE = { attempts: 3, firstPauseSeconds: 0.5 };

/**
 * Makes a client whose requests appear in the transcript.
 *
 * @param make makes the client with the settings that it is given
 */
export function narratedClient<Client>(
  transcript: Transcript,
  { baseUrl, apiKey, company }: Pick<ClientSettings, 'baseUrl' | 'apiKey'> & { company: string },
  make: (settings: ClientSettings) => Client,
): Narrated<Client> {
  let title = '';
  const narratedFetch = async (url: string, request: RequestInit): Promise<Response> => {
    transcript.sent({
      title: url.endsWith('/auth/login') ? `The ${company} logs in with its API key.` : title,
      method: request.method ?? 'GET',
      url,
      headers: shownHeaders(request.headers as Record<string, string>),
      body: typeof request.body === 'string' ? JSON.parse(request.body) : undefined,
    });
    const response = await fetch(url, request);
    const text = await response.clone().text();
    transcript.got({ status: response.status, body: jsonOr(text) });
    return response;
  };
  const client = make({ baseUrl, apiKey, fetch: narratedFetch, ...PATIENCE });
  return async (sentence, call) => {
    title = sentence;
    try {
      return await call(client);
    } catch (error) {
      throw demoErrorOf(sentence, baseUrl, error);
    }
  };
}

/**
 * Makes a call that must be refused; returns the refusal.
 *
 * @throws {DemoError} when it succeeds, or is refused with another code
 */
export async function refused<Client>(
  narrated: Narrated<Client>,
  title: string,
  statusCode: number,
  call: (client: Client) => Promise<unknown>,
): Promise<ApiError> {
  const refusal = await narrated(title, (client) =>
    call(client).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ApiError && error.statusCode === statusCode) return error;
        throw error;
      },
    ),
  );
  if (refusal) return refusal;
  throw new DemoError(`"${title}" expected a refusal with ${statusCode}, but it succeeded.`);
}

function demoErrorOf(title: string, baseUrl: string, error: unknown): unknown {
  if (error instanceof ApiError)
    return new DemoError(`"${title}" was refused with ${error.statusCode}: ${error.message}`);
  if (error instanceof NoAnswerError) return nothingAnswers(baseUrl, error);
  if (error instanceof OpenRequestError) return new DemoError(`"${title}": ${error.message}`);
  return error;
}

/** Without those that every request of the web has. */
function shownHeaders({
  Accept: _accept,
  'Content-Type': _type,
  ...shown
}: Record<string, string>) {
  return shown;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
