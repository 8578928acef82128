import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { startRawServer } from '../providers/raw-server.ts';
import { startCallbackReceiver } from './callback-receiver.ts';

type Receiver = Awaited<ReturnType<typeof startCallbackReceiver>>;

let sandbox: Sandbox;
const open: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0.001 });
  open.push(sandbox);
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function receiver(...statuses: number[]) {
  const started = await startCallbackReceiver(...statuses);
  open.push(started);
  return started;
}

async function send(suffix: string, callbackUrl: string, milliseconds = 5_000) {
  const reference = randomUUID();
  const sending = fetch(`${sandbox.airtimeUrl}/async/transactions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('key:secret')}` },
    body: JSON.stringify({
      external_id: reference,
      product_id: 2001,
      auto_confirm: true,
      credit_party_identifier: { mobile_number: `+251911000${suffix}` },
      callback_url: callbackUrl,
    }),
    signal: AbortSignal.timeout(milliseconds),
  });
  await sending.then((answer) => answer.text()).catch(() => undefined);
  return reference;
}

const told = ({ received }: Receiver) =>
  received.map((body) => (body as { status: { message: string } }).status.message);

describe('callbacks', () => {
  it.each([
    ['000', ['COMPLETED']],
    ['002', ['DECLINED-INVALID-CREDIT-PARTY']],
    ['008', ['COMPLETED']],
    ['009', ['COMPLETED']],
    ['010', ['COMPLETED']],
    ['011', ['COMPLETED', 'COMPLETED']],
    ['013', ['COMPLETED', 'SUBMITTED']],
    ['015', ['COMPLETED', 'REVERSED']],
    ['100', ['COMPLETED']],
  ])('of a number that ends in %s: %j', async (suffix, messages) => {
    const calls = await receiver(204);
    const reference = await send(suffix, calls.url);
    await expect.poll(() => told(calls)).toEqual(messages);
    expect(calls.received).toMatchObject(messages.map(() => ({ external_id: reference })));
  });

  it('come before the answer with …010', async () => {
    const calls = await receiver(204);
    await send('010', calls.url);
    expect(told(calls)).toEqual(['COMPLETED']);
  });

  it('are lost with …012, and none comes while …014 stays submitted', async () => {
    const calls = await receiver(204);
    const lost = await send('012', calls.url);
    const pending = await send('014', calls.url);
    const statusOf = (reference: string) => sandbox.books.topups({ reference })[0]?.status;
    await expect.poll(() => statusOf(lost)).toBe('completed');
    // Whatever was sent after them has arrived, so theirs would have.
    await send('000', calls.url);
    await expect.poll(() => calls.received.length).toBe(1);
    expect(statusOf(pending)).toBe('pending');
  });

  it('come when somebody settles a pending one', async () => {
    const calls = await receiver(204);
    const reference = await send('014', calls.url);
    await fetch(`${sandbox.url}/books/topups/${reference}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"status":"failed"}',
    });
    await expect.poll(() => told(calls)).toEqual(['DECLINED']);
  });

  it('come although the caller did not wait for the answer', async () => {
    const slow = await startSandbox({ port: 0, delayScale: 0.05 });
    open.push(slow);
    sandbox = slow;
    const calls = await receiver(204);
    await send('100', calls.url, 50);
    expect(calls.received).toEqual([]);
    await expect.poll(() => told(calls)).toEqual(['COMPLETED']);
  });

  it('are repeated until one is acknowledged', async () => {
    const calls = await receiver(500, 302, 200);
    await send('000', calls.url);
    await expect.poll(() => told(calls)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  });

  it('are given up after four', async () => {
    const calls = await receiver(500);
    await send('000', calls.url);
    await expect.poll(() => calls.received.length).toBe(4);
    await send('000', calls.url);
    await expect.poll(() => calls.received.length).toBe(8);
  });

  it('hold nobody up when nobody answers them, not even the sandbox that closes', async () => {
    const silent = await startRawServer(() => undefined);
    open.push(silent);
    await send('000', silent.url);
    await expect.poll(() => silent.requests).toEqual(['POST /']);
    await sandbox.close();
    open.splice(open.indexOf(sandbox), 1);
    expect(silent.requests).toHaveLength(1);
  });
});
