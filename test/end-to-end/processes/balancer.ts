import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

const ASK_INTERVAL_MS = 100;
/** A caller gets its answer from one backend, or from nobody. */
const BAD_GATEWAY = 502;

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/**
 * A load balancer as careful as it may be with requests that move money: it sends to backends that say
 * they are ready, over connections that stay open, and tries another one only where a connection was
 * refused, so that nothing can have been carried out.
 */
export async function startBalancer(ports: readonly number[]) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<number>();
  /** Requests whose connection broke after they had been sent. */
  const broken: string[] = [];
  const answered = new Map<number, number>();
  let turn = 0;

  async function ask(port: number): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) ready.add(port);
    else ready.delete(port);
  }
  const asking = setInterval(() => void Promise.all(ports.map(ask)), ASK_INTERVAL_MS);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    for (;;) {
      const [port] = [...ready].slice(turn++ % Math.max(ready.size, 1));
      if (port === undefined) return void response.writeHead(BAD_GATEWAY).end();
      try {
        const answer = await send(port, request, body);
        answered.set(port, (answered.get(port) ?? 0) + 1);
        response.writeHead(answer.statusCode ?? BAD_GATEWAY, answer.headers);
        return void response.end(Buffer.concat(await answer.toArray()));
      } catch (error) {
        ready.delete(port);
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') continue;
        broken.push(`${request.method} ${request.url}: ${error}`);
        return void response.writeHead(BAD_GATEWAY).end();
      }
    }
  }

  async function send(
    port: number,
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<IncomingMessage> {
    const sent = openRequest({ agent, port, host: '127.0.0.1', method, path: url, headers });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    return answer;
  }

  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    broken,
    /** How many requests each port has answered. */
    answered,
    isReady: (port: number) => ready.has(port),
    async stop() {
      clearInterval(asking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
