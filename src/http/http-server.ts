import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { listen } from '../process/listen.js';
import { type ConnectionLimits, limitConnections } from './limits/connection-limits.js';

/** What a server bears of its callers. */
export interface ServerLimits {
  readonly headersTimeoutMs: number;
  /** Until a request has arrived whole; not until it is answered. */
  readonly requestTimeoutMs: number;
  /** Without a byte either way: of an answer that is not read, or does not come. */
  readonly idleTimeoutMs: number;
  readonly connections: ConnectionLimits;
}

export interface RunningServer {
  readonly port: number;
  /** Answers what is under way and takes nothing new. */
  close(): Promise<void>;
}

const HEADER_BYTES = 16_384;
const HEADER_COUNT = 100;
/** How often Node looks for requests that take too long; its own pause would be 30 seconds. */
const CHECK_INTERVAL_MS = 1_000;
const STOP_GRACE_MS = 15_000;
/** So long a refused caller may read why; then its connection is closed, whether it has or not. */
const REFUSAL_GRACE_MS = 1_000;

/**
 * An HTTP server that cuts off what is too large, too slow or too much (fault F66). Even what is no
 * HTTP gets the envelope.
 */
export async function startHttpServer(
  handle: RequestListener,
  options: {
    readonly host: string;
    readonly port: number;
    readonly limits: ServerLimits;
    /** Told of each connection that could not be accepted. */
    readonly onError: (error: Error) => void;
  },
): Promise<RunningServer> {
  const { headersTimeoutMs, requestTimeoutMs, idleTimeoutMs, connections } = options.limits;
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs / 2),
      // Refused below: Node's own answer is empty.
      requireHostHeader: false,
    },
    (request, response) => {
      const { rawHeaders, headers, httpVersion, socket } = request;
      // What comes behind a refused request is not carried out.
      if (refused.has(socket)) return;
      // Node itself would drop the rest unsaid, and perhaps the signature with it.
      if (rawHeaders.length > 2 * HEADER_COUNT) refuseUnreadable('headers', socket);
      else if (httpVersion === '1.1' && !headers.host) refuseUnreadable('malformed', socket);
      // Node would take the first, and what stands before us perhaps the other (RFC 9112, 3.2).
      else if (countOf(rawHeaders, 'host') > 1) refuseUnreadable('malformed', socket);
      else handle(request, response);
    },
  );
  server.on('checkExpectation', ({ socket }) => refuseUnreadable('expectation', socket));
  server.maxHeadersCount = 0;
  server.timeout = idleTimeoutMs;
  limitConnections(server, connections);
  server.on('clientError', createRefusal(server));
  const port = await listen(server, options, options.onError);
  return { port, close: () => closeServer(server) };
}

/** Answers what could not be read as a request. */
function createRefusal(server: Server) {
  const answers = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => {
    answers.set(request.socket, response);
    response.once('close', () => answers.delete(request.socket));
  });
  return (error: Error & { code?: string }, socket: Duplex): void => {
    const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const answer = answers.get(socket);
    // In the middle of an answer a second one would be taken for a part of it, and before it for it.
    const isTaken = answer !== undefined && (answer.headersSent || !isSlow);
    if (!socket.writable || isTaken) socket.destroy();
    else if (isSlow) refuseUnreadable('slow', socket);
    else refuseUnreadable(error.code === 'HPE_HEADER_OVERFLOW' ? 'headers' : 'malformed', socket);
  };
}

const refusals = {
  headers: [431, 'The request headers are too large or too many'],
  slow: [408, 'The request took too long to arrive'],
  expectation: [417, 'The header Expect asks for something that is not supported'],
  malformed: [400, 'The request is not valid HTTP'],
} as const;

const refused = new WeakSet<object>();

/**
 * Answers and closes. Who neither reads nor closes its own side would keep the connection for ever,
 * and with it a place that others need.
 */
function refuseUnreadable(problem: keyof typeof refusals, socket: Duplex): void {
  refused.add(socket);
  const timer = setTimeout(() => socket.destroy(), REFUSAL_GRACE_MS);
  socket.once('close', () => clearTimeout(timer));
  const [status, message] = refusals[problem];
  const body = JSON.stringify({ success: false, message, statusCode: status, data: null });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Node.js lists names and values in turn. */
const countOf = (rawHeaders: readonly string[], name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS).unref();
  });
