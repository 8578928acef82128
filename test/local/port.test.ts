import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { areUsable, freePort, freePorts, whyUnusable } from '../../src/local/processes.ts';

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

test.each(['127.0.0.1', '0.0.0.0'])('a port taken on %s is not usable', async (host) => {
  const port = await occupy(host);
  expect(await whyUnusable(port)).toBe('EADDRINUSE');
  expect(await areUsable(port - 1, 3)).toBe(false);
});

test('a free port is usable, and is still free afterwards', async () => {
  const port = await freePort();
  expect(await whyUnusable(port)).toBeUndefined();
  expect(await whyUnusable(port)).toBeUndefined();
});

test('no free port is given twice: the first may be used later', async () => {
  const firsts = await Promise.all(Array.from({ length: 20 }, () => freePorts(3)));
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  const all = [...firsts.flatMap((first) => [first, first + 1, first + 2]), ...ports];
  expect(new Set(all).size).toBe(80);
});
