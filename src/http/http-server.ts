import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Config } from '../config/config.ts';
import { messageOf, statusCodeOf } from '../domain/refusals.ts';
import { listen } from '../runtime/process/health.ts';
import type { AddressMatcher } from './access/source-address.ts';
import { helpLink, REASON_HEADER, reasonAnchor } from './envelope.ts';
import { type ConnectionLimits, limitConnections } from './limits/connection-limits.ts';

type ServerSettings = Pick<
  Config['http'],
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'headersTimeoutSeconds'
  | 'requestTimeoutSeconds'
  | 'idleTimeoutSeconds'
> &
  ConnectionLimits;

export interface RunningServer {
  readonly port: number;
  /** Goes on serving, but every answer closes its connection, so that callers open new ones elsewhere. */
  drain(): void;
  /** Completes running requests and accepts no new ones. */
  close(): Promise<void>;
}

const HEADER_BYTES = 16_384;
const HEADER_COUNT = 100;
/** Interval of Node's check for slow requests; its default is 30 seconds. */
const CHECK_INTERVAL_MS = 1_000;
const STOP_GRACE_MS = 15_000;
/** Time for a refused caller to read the answer; then the connection is closed. */
const REFUSAL_GRACE_MS = 1_000;

/**
 * An HTTP server that refuses large, slow and excessive requests. Requests that are not
 * valid HTTP get the envelope as well.
 */
export async function startHttpServer(
  handle: RequestListener,
  options: {
    readonly settings: ServerSettings;
    readonly isTrustedProxy: AddressMatcher;
    /** Called for each connection that could not be accepted. */
    readonly onError: (error: Error) => void;
  },
): Promise<RunningServer> {
  const { settings } = options;
  const { refuse, isRefused, watchAnswer } = createRefusals(settings.publicUrl);
  const headersTimeout = settings.headersTimeoutSeconds * 1_000;
  const connectionEnds = createConnectionEnds();
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout,
      requestTimeout: settings.requestTimeoutSeconds * 1_000,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeout / 2),
      // Checked below, because Node's own answer has no body.
      requireHostHeader: false,
    },
    (request, response) => {
      const { rawHeaders, headers, httpVersion, socket } = request;
      // Requests behind a refused one are not carried out.
      if (isRefused(socket)) return;
      // Node would drop further headers silently, perhaps the signature among them.
      if (rawHeaders.length > 2 * HEADER_COUNT) refuse('headers-too-large', socket);
      else if (httpVersion === '1.1' && !headers.host) refuse('http-malformed', socket);
      // Node would use the first Host, and a proxy before it perhaps a second Host (RFC 9112, 3.2).
      else if (countOf(rawHeaders, 'host') > 1) refuse('http-malformed', socket);
      else {
        connectionEnds.watch(response);
        watchAnswer(socket, response);
        handle(request, response);
      }
    },
  );
  server.on('checkExpectation', ({ socket }) => refuse('expectation-unsupported', socket));
  server.maxHeadersCount = 0;
  // A caller may close its half of the connection once its request is sent, and still read the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  limitConnections(server, settings, options.isTrustedProxy);
  server.on('clientError', (error, socket) => refuse(reasonOf(error), socket));
  const port = await listen(server, settings, options.onError);
  return {
    port,
    drain: connectionEnds.drain,
    close() {
      connectionEnds.drain();
      return closeServer(server);
    },
  };
}

/**
 * Once draining, answers say `Connection: close`: those of running requests too. A connection that is
 * closed without it may be cut in the moment in which its caller sends the next request.
 */
function createConnectionEnds() {
  let isDraining = false;
  const open = new Set<ServerResponse>();
  const end = (response: ServerResponse) => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };
  return {
    watch(response: ServerResponse): void {
      if (isDraining) end(response);
      open.add(response);
      response.once('close', () => open.delete(response));
    },
    drain(): void {
      isDraining = true;
      for (const response of open) end(response);
    },
  };
}

/** Why Node could not parse what came as a request. */
function reasonOf({ code }: Error & { readonly code?: string }): UnreadableReason {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-too-slow';
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : 'http-malformed';
}

/** Refuses what is no request. A connection that has an answer to come is closed instead. */
function createRefusals(publicUrl: string) {
  const refused = new WeakSet<object>();
  const answers = new WeakMap<object, ServerResponse>();
  return {
    isRefused: (socket: object): boolean => refused.has(socket),
    watchAnswer(socket: object, response: ServerResponse): void {
      answers.set(socket, response);
      response.once('close', () => {
        if (answers.get(socket) === response) answers.delete(socket);
      });
    },
    refuse(reason: UnreadableReason, socket: Duplex): void {
      refused.add(socket);
      const answer = answers.get(socket);
      // A second answer would become part of the first, or be taken for it.
      const isTaken = answer !== undefined && (answer.headersSent || reason !== 'request-too-slow');
      if (!socket.writable || isTaken) socket.destroy();
      else refuseUnreadable(reason, socket, publicUrl);
    },
  };
}

type UnreadableReason =
  | 'http-malformed'
  | 'request-too-slow'
  | 'expectation-unsupported'
  | 'headers-too-large';

/**
 * Answers and closes. Which API is meant is not known yet: the body has no data, and both explain the reason alike. A
 * caller that neither reads nor closes would otherwise keep the connection for ever.
 */
function refuseUnreadable(reason: UnreadableReason, socket: Duplex, publicUrl: string): void {
  const timer = setTimeout(() => socket.destroy(), REFUSAL_GRACE_MS);
  socket.once('close', () => clearTimeout(timer));
  const status = statusCodeOf(reason, 'partner');
  const body = JSON.stringify({
    success: false,
    message: messageOf(reason),
    statusCode: status,
    data: null,
  });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${REASON_HEADER}: ${reason}\r\n` +
      `Link: ${helpLink(publicUrl, reasonAnchor('partner', status, reason))}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/** Node.js alternates names and values. */
const countOf = (rawHeaders: readonly string[], name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS).unref();
  });
