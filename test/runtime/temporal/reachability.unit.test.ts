import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createReachability } from '../../../src/runtime/temporal/connection.ts';

it('looks only after a call that found nobody, and until somebody is there again', async () => {
  let connections = 0;
  const open = async (port: number) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const first = await open(0);
  const { port } = first.address() as AddressInfo;
  const reachability = createReachability(`127.0.0.1:${port}`);
  expect(reachability.isReachable()).toBe(true);

  first.close();
  await once(first, 'close');
  expect(reachability.isReachable()).toBe(true);
  reachability.doubt();
  expect(await Promise.all([reachability.isReachable(), reachability.isReachable()])).toEqual([
    false,
    false,
  ]);

  const second = await open(port);
  expect(await Promise.all([reachability.isReachable(), reachability.isReachable()])).toEqual([
    true,
    true,
  ]);
  expect(reachability.isReachable()).toBe(true);
  await expect.poll(() => connections).toBe(1);
  second.close();
});
