import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../src/local/processes.ts';

export interface RawServer {
  readonly url: string;
  /** Method and path of every request, in order of arrival. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** An HTTP server that does whatever a test wants a broken provider to do. */
export async function startRawServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RawServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with JSON (or text, as it is). */
export function answerWith(status: number, body: unknown) {
  return (_request: IncomingMessage, response: ServerResponse) => {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'Content-Type': isText ? 'text/html' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  };
}

/** Switches to another protocol, which nobody has asked for, and keeps the connection. */
export const switchProtocol = ({ socket }: IncomingMessage): void => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');
};

/** The address of a port on which nothing listens. */
export async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
