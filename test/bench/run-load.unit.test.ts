import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { FailedCallError, runLoad } from '../../bench/run-load.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const load = (url: string, signal = new AbortController().signal) =>
  runLoad({
    calls: (lane) => ({ url, headers: { 'x-lane': String(lane) }, body: 'a body' }),
    lanes: 4,
    seconds: 0.2,
    signal,
  });

test('counts every answered call, and keeps so many in flight', async () => {
  let answered = 0;
  let inFlight = 0;
  let most = 0;
  const lanes = new Set<unknown>();
  const url = await serve(async (incoming, outgoing) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    lanes.add(incoming.headers['x-lane']);
    let body = '';
    for await (const chunk of incoming) body += chunk;
    expect([incoming.method, body]).toEqual(['POST', 'a body']);
    inFlight -= 1;
    answered += 1;
    outgoing.end('{"success":true}');
  });
  const startedAt = performance.now();
  const { rate, milliseconds } = await load(url);
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(milliseconds.length).toBe(answered);
  expect(answered).toBeGreaterThanOrEqual(4);
  expect(most).toBeLessThanOrEqual(4);
  expect(lanes.size).toBe(4);
  // Each lane is measured to its own last answer, which comes after the time asked for.
  expect(rate).toBeGreaterThanOrEqual(answered / seconds);
  expect(rate).toBeLessThanOrEqual(answered / 0.2);
});

test('opens its connections by calls that are not counted, before any lane begins', async () => {
  const calls: string[] = [];
  const url = await serve((incoming, outgoing) => {
    calls.push(String(incoming.socket.remotePort));
    outgoing.end('{"success":true}');
  });
  const { milliseconds } = await runLoad({
    calls: () => ({ url, headers: {}, body: '' }),
    lanes: 4,
    seconds: 60,
    count: 20,
    opensFirst: true,
    signal: new AbortController().signal,
  });
  expect(milliseconds).toHaveLength(20);
  expect(calls).toHaveLength(24);
  expect(new Set(calls.slice(0, 4)).size).toBe(4);
  expect(new Set(calls).size).toBe(4);
});

test('a refusal while it opens its connections is an error', async () => {
  const url = await serve((_incoming, outgoing) => outgoing.end('{"success":false}'));
  const run = runLoad({
    calls: () => ({ url, headers: {}, body: '' }),
    lanes: 2,
    seconds: 1,
    opensFirst: true,
    signal: new AbortController().signal,
  });
  await expect(run).rejects.toThrow(FailedCallError);
});

test.each([
  ['a refusal', 405, '{"success":false,"message":"Not enough money"}', 'Not enough money'],
  ['a success of another status', 202, '{"success":true}', 'answered 202'],
  ['200 without success', 200, '{"success":false}', 'answered 200'],
])('%s is an error', async (_, status, body, message) => {
  const url = await serve((_incoming, outgoing) => {
    outgoing.writeHead(status).end(body);
  });
  const run = load(url);
  await expect(run).rejects.toThrow(FailedCallError);
  await expect(run).rejects.toThrow(message);
});

test('a success whose data say that the work goes on is an error', async () => {
  const statuses = ['done', 'processing'];
  const url = await serve((_incoming, outgoing) => {
    const status = statuses.shift() ?? 'done';
    outgoing.end(JSON.stringify({ success: true, data: { status } }));
  });
  const isDone = (data: unknown) => (data as { readonly status: string }).status === 'done';
  const run = runLoad({
    calls: () => ({ url, headers: {}, body: '', isDone }),
    lanes: 1,
    seconds: 1,
    signal: new AbortController().signal,
  });
  await expect(run).rejects.toThrow(FailedCallError);
  await expect(run).rejects.toThrow('processing');
  expect(statuses).toEqual([]);
});

test('a sequence of calls counts once, and each call sees the answers before it', async () => {
  const seen: string[] = [];
  const url = await serve((incoming, outgoing) => {
    seen.push(incoming.url ?? '');
    outgoing.end(incoming.url === '/plain' ? '["a code"]' : '{"success":true,"data":"plain"}');
  });
  const codes: unknown[] = [];
  const { milliseconds } = await runLoad({
    calls: () => async (send) => {
      const path = await send({ url, headers: {}, body: '' });
      codes.push(await send({ url: `${url}${path}`, headers: {}, body: '', isPlain: true }));
    },
    lanes: 1,
    seconds: 0.1,
    signal: new AbortController().signal,
  });
  expect(codes).toEqual(milliseconds.map(() => ['a code']));
  expect(seen).toEqual(milliseconds.flatMap(() => ['/', '/plain']));
});

test('a sequence with a refusal is an error', async () => {
  const url = await serve((_incoming, outgoing) => outgoing.end('{"success":false}'));
  const run = runLoad({
    calls: () => async (send) => void (await send({ url, headers: {}, body: '' })),
    lanes: 2,
    seconds: 1,
    signal: new AbortController().signal,
  });
  await expect(run).rejects.toThrow(FailedCallError);
});

test('a server that is gone is an error', async () => {
  await expect(load('http://127.0.0.1:1/')).rejects.toThrow('ECONNREFUSED');
});

test('ends early when it is told to, with the reason', async () => {
  const reason = new Error('enough');
  const interruption = new AbortController();
  const url = await serve((_incoming, outgoing) => {
    interruption.abort(reason);
    outgoing.end('{"success":true}');
  });
  await expect(load(url, interruption.signal)).rejects.toBe(reason);
});
