import { ApiError, NoAnswerError } from './errors.ts';
import { nameOf, type Operation } from './operation.ts';

/** One request as it is sent. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
}

/** The successful answer of the service. */
export interface WireAnswer {
  /** The envelope; of the log-in and the test endpoint, the answer itself. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The function that sends: `fetch`, or one that is called like it. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/**
 * Sends a request once.
 *
 * @throws {ApiError} for a refusal
 * @throws {NoAnswerError} where no answer of the service arrived; it may have been carried out
 * @throws the signal's reason, once the caller has aborted
 */
export async function sendOnce(
  fetch: Fetch,
  operation: Operation,
  request: WireRequest,
): Promise<WireAnswer> {
  const { url, headers, body, timeoutSeconds, signal } = request;
  // What is left of the time of a call is no whole number of milliseconds, which a signal needs.
  const timeout = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1_000));
  try {
    const response = await fetch(url, {
      method: operation.method,
      headers,
      ...(body === undefined ? {} : { body }),
      // A redirect would carry the token, and a POST as a GET, to another address.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { body: read(operation, response, await response.text()) };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    signal?.throwIfAborted();
    throw new NoAnswerError(nameOf(operation), timeout.aborted ? timeout.reason : causeOf(error));
  }
}

/** What is not the envelope comes from somebody between, such as a proxy. */
function read(operation: Operation, response: Response, text: string): WireAnswer['body'] {
  const answer = parse(text);
  if (response.ok && (operation.isBare ? answer : answer?.success === true) && answer)
    return answer;
  if (typeof answer?.statusCode !== 'number' || answer.success !== false)
    throw new Error(`HTTP status ${response.status}, not an answer of the service`);
  throw new ApiError({
    operation: nameOf(operation),
    httpStatus: response.status,
    statusCode: answer.statusCode,
    reason: response.headers.get('x-error-reason') ?? undefined,
    message: String(answer.message),
    data: answer.data,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: secondsOf(response.headers.get('Retry-After')),
    helpUrl: /<([^>]+)>; rel="help"/.exec(response.headers.get('Link') ?? '')?.[1],
  });
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d+$/.test(header) ? Number(header) : undefined;

/** `fetch` says "fetch failed", and the reason in `cause`; only its words are kept, without data. */
function causeOf(error: unknown): Error {
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  return new Error(cause instanceof Error ? cause.message || cause.name : String(cause));
}
