import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { freePort, PortUnavailableError, requireFreePort } from '../../src/embedded/port.ts';

let server: Server | undefined;

async function occupy(host: string): Promise<number> {
  server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

afterEach(async () => {
  if (server === undefined) return;
  server.close();
  await once(server, 'close');
  server = undefined;
});

test.each(['127.0.0.1', '0.0.0.0'])(
  'a port taken on %s is refused by its setting',
  async (host) => {
    const port = await occupy(host);
    await expect(requireFreePort(port, 'SANDBOX_PORT')).rejects.toThrow(
      new PortUnavailableError(`Port ${port} is taken: set SANDBOX_PORT to another one`),
    );
  },
);

test('a free port is accepted, and is still free afterwards', async () => {
  const port = await freePort();
  await requireFreePort(port, 'PORT');
  await requireFreePort(port, 'PORT');
});

test('no free port is given twice: the first may be used later', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(new Set(ports).size).toBe(50);
});
