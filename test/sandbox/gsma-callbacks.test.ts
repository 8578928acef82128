import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { startRawServer } from '../providers/raw-server.ts';

interface Received {
  readonly request: string;
  readonly id: string | undefined;
  readonly body: Record<string, unknown>;
}

let sandbox: Sandbox;
let received: Received[];
let receiver: Awaited<ReturnType<typeof startRawServer>>;
beforeEach(async () => {
  received = [];
  sandbox = await startSandbox({ port: 0, delayScale: 0.001 });
  receiver = await startRawServer((request, response) => {
    json(request).then((body) => {
      const id = request.headers['x-correlationid'];
      received.push({
        request: `${request.method} ${request.url}`,
        id: typeof id === 'string' ? id : undefined,
        body: body as Received['body'],
      });
      response.writeHead(204).end();
    });
  });
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

async function post(path: string, body: object, callbackUrl = `${receiver.url}/gsma`) {
  const id = randomUUID();
  const answer = await fetch(sandbox.mobileMoneyUrl + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-CorrelationID': id,
      'X-Callback-URL': callbackUrl,
    },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  const read = await answer?.json().catch(() => undefined);
  return { id, answer: read as { transactionReference?: string } | undefined };
}

const pay = (suffix: string, callbackUrl?: string) =>
  post(
    '/transactions/type/disbursement',
    {
      amount: '10.00',
      currency: 'ETB',
      creditParty: [{ key: 'msisdn', value: `+251911000${suffix}` }],
    },
    callbackUrl,
  );

const told = () => received.map(({ body }) => body.transactionStatus ?? body.errorCode);

describe('callbacks about payouts', () => {
  it.each([
    ['004', ['genericError']],
    ['010', ['completed']],
    ['011', ['completed', 'completed']],
    ['013', ['completed', 'pending']],
    ['015', ['reversed']],
  ])('to a number that ends in %s: %j', async (suffix, statuses) => {
    const { id } = await pay(suffix);
    await expect.poll(told).toEqual(statuses);
    expect(received.every(({ request }) => request === 'PUT /gsma')).toBe(true);
    expect(received.map((one) => one.id)).toEqual(statuses.map(() => id));
  });

  it('come before the answer with …010', async () => {
    await pay('010');
    expect(told()).toEqual(['completed']);
  });

  it('are lost with …012, and none comes where the answer has said it all', async () => {
    const { id } = await pay('012');
    await pay('000');
    const statusOf = () => sandbox.books.payouts({ reference: id })[0]?.status;
    await expect.poll(statusOf).toBe('completed');
    // Whatever was sent before has arrived.
    await pay('010');
    expect(told()).toEqual(['completed']);
  });

  it('come when somebody settles a pending one', async () => {
    const { id } = await pay('014');
    await fetch(`${sandbox.url}/books/payouts/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"status":"completed"}',
    });
    await expect.poll(told).toEqual(['completed']);
  });

  it('are not sent where the address is none', async () => {
    const { id } = await pay('011', 'not an address');
    const statusOf = () => sandbox.books.payouts({ reference: id })[0]?.status;
    await expect.poll(statusOf).toBe('completed');
    await pay('010');
    expect(told()).toEqual(['completed']);
  });
});

it.each([
  ['022', ['completed']],
  ['024', ['genericError']],
])('callbacks about the reversal of a payout to %s: %j', async (suffix, statuses) => {
  const { answer } = await pay(suffix);
  const { id } = await post(`/transactions/${answer?.transactionReference}/reversals`, {
    type: 'reversal',
  });
  await expect.poll(told).toEqual(statuses);
  expect(received[0]?.id).toBe(id);
});
