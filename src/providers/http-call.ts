import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { TLSSocket } from 'node:tls';
import { tracing } from '../tracing/tracing.ts';
import { faultNote } from './guard/call-health.ts';

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
  const traceparent = tracing()?.outgoing();
  const headers = {
    ...call.headers,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(call.body === undefined
      ? {}
      : { 'Content-Length': Buffer.byteLength(call.body).toString() }),
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
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
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
