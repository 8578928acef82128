import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { TLSSocket } from 'node:tls';

/** The longest answer that is read; a provider's answers are a few kilobytes. */
const answerLimitBytes = 256 * 1024;

/**
 * Connections are kept for the next call, but shorter than the five seconds after which common
 * servers close them: a request written to a connection that just closed has an unknown outcome.
 * The attempt timeout is raised because Node's 250 ms gives up on names with several addresses
 * wherever a handshake across continents takes longer.
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
  /** Ends the whole call: name lookup, connection, headers and body. */
  readonly deadline: AbortSignal;
}

export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly body: string;
  /** What `Retry-After` asks for, where the answer has one that can be read. */
  readonly retryAfterSeconds?: number;
}

/** The last two are outcomes already, so that an adapter may return them as they are. */
export type HttpResult =
  | HttpAnswer
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * Calls a provider once, without redirects or repetitions. `not-sent` says that no connection was
 * made, so not one byte of the request left this machine; every other failure is `unknown`.
 */
export function callHttp(call: HttpCall): Promise<HttpResult> {
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = (error: unknown) =>
      resolve({ kind: isConnected ? 'unknown' : 'not-sent', message: reasonOf(error, call) });

    const outgoing = open(call, (incoming) => {
      readAnswer(incoming).then(resolve, fail);
    });
    outgoing.on('socket', (socket) => {
      // A kept connection is one already. A new one carries nothing before its handshake is over.
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
  const headers =
    call.body === undefined
      ? call.headers
      : { ...call.headers, 'Content-Length': Buffer.byteLength(call.body).toString() };
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
    // Leaving the loop destroys the connection, so an endless answer costs no more than this.
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

/** Only the error's code is told: its message may hold addresses or parts of what was sent. */
function reasonOf(error: unknown, call: HttpCall): string {
  if (call.deadline.aborted) return 'The provider did not answer in time.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  return `The connection to the provider failed (${code}).`;
}
