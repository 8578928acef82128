import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, partnerClient } from '../../support/clients.ts';
import { makePartner, type TestPartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** What one address takes from all others by connections on which it says nothing. */
const PER_ADDRESS = 20;
const SILENT = 300;

let stack: Stack;
let partner: TestPartner;
const sockets: Socket[] = [];
beforeAll(async () => {
  stack = await startStack({
    CONNECTION_LIMIT: '60',
    CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
    CONNECTION_RESERVE: '12',
  });
  partner = await makePartner(stack);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await stack?.stop();
});

/** A connection that sends nothing and never closes its own side. */
function openSilent(localAddress: string): Socket {
  const port = Number(new URL(stack.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket.resume();
}

const isOver = (socket: Socket): boolean => socket.readableEnded || socket.destroyed;

test('silent connections of one address keep no other from being served', async () => {
  const silent = Array.from({ length: SILENT }, () => openSilent('127.0.0.2'));
  await until(() =>
    expect(silent.filter(isOver).length).toBeGreaterThanOrEqual(SILENT - PER_ADDRESS),
  );
  const asPartner = await partnerClient(stack, partner);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => asPartner.get('/info/get-current-balance')),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  // They are still there: nothing was won by their end.
  expect(silent.some((socket) => !isOver(socket))).toBe(true);
  expect((await call(`${stack.url}/api/v1/client/test`)).status).toBe(401);
});
