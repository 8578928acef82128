import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { tracing } from '../runtime/tracing/tracing.ts';
import { faultNote, noteThrottling } from './guard.ts';
import { type NotSent, type ProviderInquiry, type ProviderOutcome, takenUnder } from './outcome.ts';

/** Limit of an answer's size; answers of providers have a few kilobytes. */
const answerLimitBytes = 256 * 1024;

/**
 * Connections are reused, but for less than the five seconds after which common servers close them:
 * a request on a connection that was just closed has an unknown outcome. The attempt timeout is
 * higher than Node's 250 ms, which is too short for names with several addresses and handshakes
 * across continents.
 */
const agentOptions = {
  keepAlive: true,
  timeout: 4_000,
  maxSockets: 100,
  autoSelectFamilyAttemptTimeout: 2_000,
};
const plainAgent = new HttpAgent(agentOptions);
const tlsAgent = new HttpsAgent(agentOptions);

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the whole call: DNS, connection, headers and body. */
  readonly deadline: AbortSignal;
}

export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly body: string;
  /** The pause of `Retry-After`, if the answer has a readable one. */
  readonly retryAfterSeconds?: number;
}

/** The last two are already outcomes, so an adapter may return them unchanged. */
export type HttpResult =
  | HttpAnswer
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * Calls a provider once, without redirects or retries. `not-sent` proves that no connection was
 * made, so no byte of the request left this machine; every other failure is `unknown`.
 */
export function callHttp(call: HttpCall): Promise<HttpResult> {
  const noteFault = faultNote();
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = (error: unknown) => {
      noteFault();
      resolve({ kind: isConnected ? 'unknown' : 'not-sent', message: reasonOf(error, call) });
    };

    const outgoing = open(call, (incoming) => {
      if ((incoming.statusCode ?? 0) >= 500) noteFault();
      readAnswer(incoming).then(resolve, fail);
    });
    // An answer of 101 is no response: nothing else would tell that the call has ended.
    outgoing.on('upgrade', (_incoming, socket) => {
      socket.destroy();
      fail(new Error('the protocol was switched'));
    });
    outgoing.on('socket', (socket) => {
      // A reused connection is already established. A new one transmits nothing before its
      // handshake.
      isConnected = !socket.connecting;
      if (isConnected) return;
      const handshakeOver = socket instanceof TLSSocket ? 'secureConnect' : 'connect';
      socket.once(handshakeOver, () => {
        isConnected = true;
      });
    });
    outgoing.on('error', fail);
    outgoing.end(call.body);
  });
}

function open(call: HttpCall, onAnswer: (incoming: IncomingMessage) => void): ClientRequest {
  const url = new URL(call.url);
  // Random ids that say nothing of anybody; baggage, which may, is never passed on.
  const traceparent = tracing()?.current();
  const headers = {
    ...call.headers,
    ...(traceparent !== undefined && { traceparent }),
    ...(call.body !== undefined && { 'Content-Length': Buffer.byteLength(call.body).toString() }),
  };
  const options = { method: call.method, headers, signal: call.deadline };
  return url.protocol === 'https:'
    ? requestTls(url, { ...options, agent: tlsAgent }, onAnswer)
    : request(url, { ...options, agent: plainAgent }, onAnswer);
}

async function readAnswer(incoming: IncomingMessage): Promise<HttpResult> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    // Leaving the loop destroys the connection, which bounds the cost of an endless answer.
    if (length > answerLimitBytes) return { kind: 'unknown', message: 'The answer is too long.' };
    chunks.push(chunk);
  }
  const body = new TextDecoder().decode(Buffer.concat(chunks));
  const retryAfterSeconds = readRetryAfter(incoming.headers['retry-after']);
  return {
    kind: 'answered',
    status: incoming.statusCode ?? 0,
    body,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const milliseconds = / GMT$/.test(value) ? Date.parse(value) - Date.now() : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}

/** Only the error's code is shown: its message may contain addresses or parts of the request. */
function reasonOf(error: unknown, call: HttpCall): string {
  if (call.deadline.aborted) return 'The provider did not answer in time.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  return `The connection to the provider failed (${code}).`;
}

/**
 * The parsed text, or undefined where it is not JSON of this shape. Never throws. Some providers write
 * an empty text where they have no value: it is absent, and makes no other field unreadable.
 */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text, withoutEmpty)).data;
  } catch {
    return undefined;
  }
}

/** The JSON of an answer with status 200, or undefined. */
export const readOk = <Schema extends z.ZodType>(
  schema: Schema,
  { status, body }: HttpAnswer,
): z.infer<Schema> | undefined => (status === 200 ? readJson(schema, body) : undefined);

/** A text, which a provider may write as a number. */
export const looseText = z.union([z.string(), z.number().transform(String)]);

/** A number, which a provider may write as a text. No value is no number, and not 0. */
export const looseNumber = z.union([z.number(), z.string().trim().min(1).pipe(z.coerce.number())]);

/** An id that is stored in our books, so only characters that are safe in a database and on a page. */
export const storedText = z.string().regex(/^[\x21-\x7e]{1,256}$/);

const withoutEmpty = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;

/** HTTP 429: the provider rejected the request, and may request a pause. It works, so no breaker opens. */
export function tooManyRequests({ retryAfterSeconds }: HttpAnswer): NotSent {
  noteThrottling();
  return {
    kind: 'not-sent',
    message: 'Too many requests.',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** The value of an `Authorization` header by HTTP Basic. */
export const basicAuthorization = (key: string, secret: string): string =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;

type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'not-sent'; readonly message: string };

/**
 * The meaning of an answer for the access token. `rejected` is the provider's own error: it read
 * nothing else. `doubtful` is a 401 of somebody else, such as a gateway in between: the provider
 * may have done it nevertheless.
 */
export type TokenVerdict = 'accepted' | 'rejected' | 'doubtful';

interface AuthorizedCallOptions {
  /** The request for a token: OAuth 2 client credentials, as the provider wants them. */
  readonly tokenRequest: Omit<HttpCall, 'deadline'>;
  readonly judgeToken: (answer: HttpAnswer) => TokenVerdict;
}

const TOO_MANY_REQUESTS = 429;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(60),
});

/**
 * Sends with an access token, and once more with a new one if the first is rejected. After a doubtful
 * answer only a GET is sent again; the next call logs in.
 */
export function createAuthorizedCall({ tokenRequest, judgeToken }: AuthorizedCallOptions) {
  const accessToken = createAccessToken(tokenRequest);
  return async (request: HttpCall): Promise<HttpResult> => {
    const first = await accessToken.read(request.deadline);
    if (first.kind === 'not-sent') return first;
    const answer = await callHttp(withToken(request, first.token));
    const verdict = answer.kind === 'answered' ? judgeToken(answer) : 'accepted';
    if (verdict === 'accepted') return answer;
    accessToken.forget(first.token);
    if (verdict === 'doubtful' && request.method !== 'GET') return answer;
    const second = await accessToken.read(request.deadline);
    return second.kind === 'not-sent' ? second : callHttp(withToken(request, second.token));
  };
}

/** Concurrent calls share one request for a token. */
function createAccessToken(tokenRequest: Omit<HttpCall, 'deadline'>) {
  let current: { token: string; goodUntil: number } | undefined;
  let fetching: Promise<TokenResult> | undefined;
  let isThrottled = false;

  async function fetchToken(deadline: AbortSignal): Promise<TokenResult> {
    const answer = await callHttp({ ...tokenRequest, deadline });
    isThrottled = false;
    if (answer.kind !== 'answered') return noToken(answer.message);
    const grant = readOk(tokenSchema, answer);
    isThrottled = answer.status === TOO_MANY_REQUESTS;
    if (!grant) return noToken(`HTTP status ${answer.status}.`);
    // A token is discarded slightly early, so that it does not expire in transit.
    const lifetimeSeconds = grant.expires_in - Math.min(30, grant.expires_in / 10);
    current = { token: grant.access_token, goodUntil: Date.now() + lifetimeSeconds * 1000 };
    return { kind: 'token', token: grant.access_token };
  }

  return {
    /** The current token, or a new one. A failure means that nothing was sent to the provider. */
    async read(deadline: AbortSignal): Promise<TokenResult> {
      if (current && Date.now() < current.goodUntil) return { kind: 'token', token: current.token };
      fetching ??= fetchToken(deadline).finally(() => {
        fetching = undefined;
      });
      const result = await fetching;
      // Each call that shares the request has a guard that must know it.
      if (isThrottled) noteThrottling();
      return result;
    },
    /** Discards a rejected token, unless a newer one has already replaced it. */
    forget(token: string): void {
      if (current?.token === token) current = undefined;
    },
  };
}

function noToken(reason: string): TokenResult {
  return { kind: 'not-sent', message: `The provider gave no access token: ${reason}` };
}

const withToken = (request: HttpCall, token: string): HttpCall => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${token}` },
});

/** Calls a path, which begins with a slash, within a time limit; by default that of one operation. */
export type ApiGet = (path: string, deadline?: AbortSignal) => Promise<HttpResult>;

/** The API of a provider below a base address. */
export function createApi({
  baseUrl,
  timeoutSeconds,
  headers = () => ({ Accept: 'application/json' }),
  call = callHttp,
}: {
  readonly baseUrl: string;
  /** For a whole operation, over all its requests. */
  readonly timeoutSeconds: number;
  /** Of every request. */
  readonly headers?: () => HttpCall['headers'];
  /** Sends a request with its authorization. */
  readonly call?: (request: HttpCall) => Promise<HttpResult>;
}) {
  /** The deadline of an operation that begins now. */
  const newDeadline = () => AbortSignal.timeout(timeoutSeconds * 1_000);
  const get: ApiGet = (path, deadline = newDeadline()) =>
    call({ method: 'GET', url: baseUrl + path, headers: headers(), deadline });
  const post = (
    path: string,
    content: object,
    {
      deadline = newDeadline(),
      headers: own = {},
    }: Partial<Pick<HttpCall, 'deadline' | 'headers'>> = {},
  ) => {
    const isForm = content instanceof URLSearchParams;
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    return call({
      method: 'POST',
      url: baseUrl + path,
      headers: { ...headers(), 'Content-Type': type, ...own },
      body: isForm ? content.toString() : JSON.stringify(content),
      deadline,
    });
  };
  return { newDeadline, get, post };
}

/** The provider may have it under our reference: its outcome needs an inquiry. */
export interface DoubtfulAnswer {
  readonly kind: 'look-up';
  /** The outcome where the provider does not tell of the order. */
  readonly otherwise: ProviderOutcome;
}

/**
 * The outcome of a sending by its answer, or by an inquiry where the answer leaves it open. An answer that says that the
 * provider has taken the order counts, too, where the inquiry fails.
 */
export async function readOrLookUp(
  answer: HttpResult,
  read: (answer: HttpAnswer) => ProviderOutcome | DoubtfulAnswer,
  find: () => Promise<ProviderInquiry | { readonly kind: 'not-listed' }>,
): Promise<ProviderOutcome> {
  if (answer.kind !== 'answered') return answer;
  const outcome = read(answer);
  // Neither the provider nor our key is at fault, but no order comes through.
  if (answer.status === 401 && outcome.kind === 'unknown') faultNote()();
  if (outcome.kind !== 'look-up') return outcome;
  const { otherwise } = outcome;
  const found = await find();
  if (found.kind === 'never-seen' || found.kind === 'not-listed') return otherwise;
  if (found.kind !== 'unknown' || otherwise.kind !== 'unknown') return found;
  return { ...takenUnder(otherwise.takenAs), ...found };
}
