import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startRawServer } from '../providers/raw-server.ts';

/** A request as it arrived. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** An answer, of the service or in its place. */
interface ProxyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What becomes of one request. */
export type Fault =
  /** The service carries it out, and the connection breaks before the answer. */
  | 'cut'
  /** The service carries it out, and no answer ever comes. */
  | 'silence'
  /** Nothing: a later request is meant. */
  | 'pass'
  /** The service never sees it. */
  | ProxyAnswer;

/** A refusal as the service words it. */
export const refusal = (
  statusCode: number,
  headers: Readonly<Record<string, string>> = {},
): ProxyAnswer => ({
  status: Number(String(statusCode).slice(0, 3)),
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify({ success: false, message: 'Refused', statusCode, data: null }),
});

/** A way to the service that records requests and spoils those that it is told to. */
export async function startFaultProxy(target: string) {
  const seen: SeenRequest[] = [];
  const faults: { readonly path: string; readonly fault: Fault }[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await buffer(request)).toString();
    const { method = '', url: path = '', headers } = request;
    seen.push({ method, path, headers, body, at: performance.now() });
    const next = faults.findIndex((one) => path.endsWith(one.path));
    const [{ fault } = { fault: undefined }] = next < 0 ? [] : faults.splice(next, 1);
    if (typeof fault === 'object') return reply(response, fault);
    const answer = await forward(target, { method, path, headers, body });
    if (fault === 'cut') response.destroy();
    else if (fault !== 'silence') reply(response, answer);
  };

  const server = await startRawServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return {
    url: server.url,
    close: server.close,
    /** The requests of a path's end, in the order of their arrival. */
    requestsTo: (path: string) => seen.filter((one) => one.path.split('?')[0]?.endsWith(path)),
    /** Spoils the next requests of a path's end, one fault each. */
    spoil(path: string, ...next: readonly Fault[]) {
      faults.push(...next.map((fault) => ({ path, fault })));
    },
  };
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

async function forward(
  target: string,
  { method, path, headers, body }: Pick<SeenRequest, 'method' | 'path' | 'headers' | 'body'>,
): Promise<ProxyAnswer> {
  const { host: _host, connection: _connection, 'content-length': _length, ...sent } = headers;
  const answer = await fetch(target + path, {
    method,
    headers: sent as Record<string, string>,
    ...(method === 'GET' || body === '' ? {} : { body }),
  });
  const text = await answer.text();
  const { 'content-encoding': _coding, ...received } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: received, body: text };
}

function reply(response: ServerResponse, { status, headers = {}, body }: ProxyAnswer): void {
  const length = String(Buffer.byteLength(body));
  const { 'transfer-encoding': _transfer, connection: _connection, ...sent } = headers;
  response.writeHead(status, { ...sent, 'content-length': length }).end(body);
}
