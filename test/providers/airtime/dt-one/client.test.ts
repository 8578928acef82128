import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AirtimeOrder } from '../../../../src/providers/airtime/airtime.ts';
import { createDtOneAirtime } from '../../../../src/providers/airtime/dt-one/client.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { startCallbackReceiver } from '../../../sandbox/callback-receiver.ts';
import { answerWith, closedAddress, type RawServer, startRawServer } from '../../raw-server.ts';

/** A short limit is only for a call that waits for it: a machine may hold up an answer for as long. */
const clientAt = (baseUrl: string, more: { timeoutSeconds?: number; callbackUrl?: string } = {}) =>
  createDtOneAirtime({
    baseUrl,
    key: 'key',
    secret: 'secret',
    rangedProducts: { ETHIO_TELECOM: 1001, SAFARICOM_ETHIOPIA: 1002 },
    timeoutSeconds: 60,
    ...more,
  });

type Product = AirtimeOrder['product'];

const airtime = {
  kind: 'airtime',
  operator: 'ETHIO_TELECOM',
  amount: '97.500000',
} as const satisfies Product;
const orderFor = (msisdn: string, product: Product = airtime): AirtimeOrder => ({
  reference: randomUUID(),
  msisdn,
  product,
});

const delivered = { kind: 'delivered', providerReference: expect.stringMatching(/^OP/) };
const reversed = { ...delivered, reversal: expect.any(String) };
/** An outcome that is open, without a disagreement; the provider may have told its id of the order. */
const unknown = expect.schemaMatching(
  z.strictObject({
    kind: z.literal('unknown'),
    message: z.string(),
    takenAs: z.string().optional(),
  }),
);
const notSent = { kind: 'not-sent', message: expect.any(String) };
const neverSeen = { kind: 'never-seen' };
const refused = (code: string, retryCanHelp: boolean) => ({
  kind: 'refused',
  code,
  message: expect.any(String),
  retryCanHelp,
});

describe('against the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, delayScale: 0 });
  });
  afterAll(() => sandbox.close());

  const invalid = refused('DECLINED-INVALID-CREDIT-PARTY', false);
  const barred = refused('DECLINED-BARRED-CREDIT-PARTY', false);
  const unavailable = refused('DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE', true);
  const duplicated = refused('DECLINED-DUPLICATED-TRANSACTION', false);
  const declined = refused('DECLINED', false);
  const exception = refused('DECLINED-EXCEPTION', true);

  /** What `send` says, what is found by our reference after it, and what the books say. */
  const bySuffix: [suffix: string, sent: object, found: object, books: string[]][] = [
    ['000', delivered, delivered, ['completed']],
    ['002', invalid, invalid, ['failed']],
    ['003', barred, barred, ['failed']],
    ['004', unavailable, unavailable, ['failed']],
    ['005', duplicated, duplicated, ['failed']],
    ['006', declined, declined, ['failed']],
    ['007', exception, exception, ['failed']],
    ['008', unknown, delivered, ['completed']],
    ['009', unknown, delivered, ['completed']],
    ['010', unknown, delivered, ['completed']],
    ['011', unknown, delivered, ['completed']],
    ['012', unknown, delivered, ['completed']],
    ['013', unknown, delivered, ['completed']],
    ['014', unknown, unknown, ['pending']],
    ['015', delivered, reversed, ['reversed']],
    ['016', { ...notSent, retryAfterSeconds: 5 }, neverSeen, []],
    ['018', unknown, neverSeen, []],
    ['019', delivered, delivered, ['completed']],
    ['102', invalid, invalid, ['failed']],
    ['200', delivered, delivered, ['completed']],
    ['308', unknown, delivered, ['completed']],
    ['567', delivered, delivered, ['completed']],
  ];
  describe.each<[string, Product, string]>([
    ['airtime', airtime, '97.50'],
    ['a package', { kind: 'package', providerProductId: 2002 }, '60.00'],
  ])('%s', (_name, product, amount) => {
    it.each(bySuffix)('for a number that ends in %s', async (suffix, sent, found, statuses) => {
      const client = clientAt(sandbox.airtimeUrl);
      const order = orderFor(`+251911000${suffix}`, product);
      expect(await client.findOrder(order)).toEqual(neverSeen);
      expect(await client.send(order)).toEqual(sent);
      expect(await client.findOrder(order)).toEqual(found);

      // A repetition, as after a lost answer, tells what is known and sends nothing again.
      const again = await client.send(order);
      expect(again).toEqual(statuses.length > 0 ? found : sent);
      const rows = sandbox.books.topups({ reference: order.reference });
      expect(rows.map(({ status }) => status)).toEqual(statuses);
      expect(rows.every((row) => row.amount === amount && row.currency === 'ETB')).toBe(true);
    });
  });

  it('sends once when the same order is sent many times at once', async () => {
    const client = clientAt(sandbox.airtimeUrl);
    const order = orderFor('+251911000000');
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => client.send(order)));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(outcomes[0]).toEqual(delivered);
    expect(sandbox.books.topups({ reference: order.reference })).toHaveLength(1);
  });

  it('never takes an order of another number, amount or product for its own', async () => {
    const client = clientAt(sandbox.airtimeUrl);
    const order = orderFor('+251911000000');
    expect(await client.send(order)).toEqual(delivered);
    const others = [
      [{ ...order, msisdn: '+251911000011' }, undefined],
      [
        { ...order, product: { ...airtime, amount: '97.51' } },
        { amount: '97.50', outcome: delivered },
      ],
      [{ ...order, product: { kind: 'package', providerProductId: 2002 } as const }, undefined],
    ] as const;
    for (const [other, otherAmount] of others) {
      const disagreeing = {
        kind: 'unknown',
        message: expect.any(String),
        disagrees: true,
        otherAmount,
        takenAs: expect.any(String),
      };
      expect(await client.send(other)).toEqual(disagreeing);
      expect(await client.findOrder(other)).toEqual(disagreeing);
    }
    expect(sandbox.books.topups({ reference: order.reference })).toHaveLength(1);
  });

  it('is refused the number of another operator', async () => {
    const order = orderFor('+251711000000');
    expect(await clientAt(sandbox.airtimeUrl).send(order)).toEqual(invalid);
  });

  it('is refused a product that is not sold, and an amount out of range', async () => {
    const client = clientAt(sandbox.airtimeUrl);
    const none = orderFor('+251911000000', { kind: 'package', providerProductId: 77 });
    expect(await client.send(none)).toEqual(refused('1003001', false));
    const dear = orderFor('+251911000000', { ...airtime, amount: '10000.01' });
    expect(await client.send(dear)).toEqual(refused('1003002', false));
    expect(await client.findOrder(dear)).toEqual(neverSeen);
  });

  it.each([
    ['completed', delivered],
    ['failed', refused('DECLINED', false)],
  ])('finds a pending order that was settled as %s', async (status, found) => {
    const client = clientAt(sandbox.airtimeUrl);
    const order = orderFor('+251911000014');
    expect(await client.send(order)).toEqual(unknown);
    const settled = await fetch(`${sandbox.url}/books/topups/${order.reference}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ status }),
    });
    expect(settled.status).toBe(200);
    expect(await client.findOrder(order)).toEqual(found);
  });

  it('finds a slow order in progress, and sends it once', async () => {
    // It answers when it closes.
    const slow = await startSandbox({ port: 0, delayScale: 1_000 });
    const order = orderFor('+251911000100');
    const client = clientAt(slow.airtimeUrl);
    const sent = client.send(order);
    const topups = () => slow.books.topups({ reference: order.reference });
    await expect.poll(topups).toHaveLength(1);
    expect(await client.findOrder(order)).toEqual(unknown);
    expect(await client.send(order)).toEqual(unknown);
    await slow.close();
    expect(['delivered', 'unknown']).toContain((await sent).kind);
    await expect.poll(topups).toMatchObject([{ status: 'completed' }]);
  });

  it.each(['0', '0.001', '-5', 'x', '10000000000000'])(
    'cannot carry %j and sends nothing',
    async (amount) => {
      const client = clientAt(sandbox.airtimeUrl);
      const order = orderFor('+251911000000', { ...airtime, amount });
      expect(client.canCarry(amount)).toBe(false);
      expect(await client.send(order)).toEqual(notSent);
      expect(sandbox.books.topups({ reference: order.reference })).toEqual([]);
    },
  );

  it('can carry what the ledger holds', () => {
    const client = clientAt(sandbox.airtimeUrl);
    expect(['0.01', '97.50', '1000000.000000'].every((amount) => client.canCarry(amount))).toBe(
      true,
    );
  });

  it('is called back where it asks for it', async () => {
    const receiver = await startCallbackReceiver(204);
    const client = clientAt(sandbox.airtimeUrl, { callbackUrl: receiver.url });
    const order = orderFor('+251911000000');
    expect(await client.send(order)).toEqual(delivered);
    await expect.poll(() => receiver.received).toMatchObject([{ external_id: order.reference }]);
    await receiver.close();
  });

  it('fails for an account that the provider does not know', async () => {
    const client = createDtOneAirtime({
      baseUrl: sandbox.airtimeUrl,
      key: '',
      secret: '',
      rangedProducts: { ETHIO_TELECOM: 1001, SAFARICOM_ETHIOPIA: 1002 },
      timeoutSeconds: 60,
    });
    const order = orderFor('+251911000000');
    expect(await client.send(order)).toEqual(notSent);
    expect(await client.findOrder(order)).toEqual(unknown);
  });
});

describe('against providers that are broken', () => {
  const open: RawServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  type Handle = (request: IncomingMessage, response: ServerResponse) => void;
  /** A provider that answers orders and inquiries as told, or not at all. */
  async function providerWith(handles: { order?: Handle; inquiry?: Handle }) {
    const server = await startRawServer((request, response) => {
      const handle = request.method === 'POST' ? handles.order : handles.inquiry;
      handle?.(request, response);
    });
    open.push(server);
    return server;
  }
  const order = orderFor('+251911234567');
  const transaction = (name: string, id: number) => ({
    id: 7,
    external_id: order.reference,
    status: { id: id * 10_000, message: name, class: { id, message: name } },
  });
  const used = answerWith(400, { errors: [{ code: 1_007_001, message: 'Used' }] });
  const dropped: Handle = (request) => request.socket.destroy();

  it('asks once and finds by our reference, whatever characters are in it', async () => {
    const strange = { ...order, reference: 'a/b?c&d=é #1' };
    const server = await providerWith({ order: used, inquiry: answerWith(200, []) });
    expect(await clientAt(`${server.url}/v1`).send(strange)).toEqual(unknown);
    expect(server.requests).toEqual([
      'POST /v1/async/transactions',
      'GET /v1/transactions?external_id=a%2Fb%3Fc%26d%3D%C3%A9%20%231',
    ]);
  });

  it('sends JSON with Basic credentials', async () => {
    const seen: unknown[] = [];
    const server = await providerWith({
      order: (request, response) => {
        seen.push(request.headers.authorization, request.headers['content-type']);
        text(request).then(
          (body) => {
            seen.push(JSON.parse(body));
            answerWith(201, transaction('CONFIRMED', 2))(request, response);
          },
          () => response.destroy(),
        );
      },
    });
    expect(await clientAt(server.url).send(order)).toEqual(unknown);
    expect(seen).toMatchObject([
      'Basic a2V5OnNlY3JldA==',
      'application/json',
      { external_id: order.reference, destination: { amount: 97.5 } },
    ]);
  });

  const lookUps: [string, Handle, object][] = [
    [
      'it was delivered',
      answerWith(200, [transaction('COMPLETED', 7)]),
      { kind: 'delivered', providerReference: '7' },
    ],
    ['it was declined', answerWith(200, [transaction('DECLINED', 9)]), refused('DECLINED', false)],
    ['it is submitted', answerWith(200, [transaction('SUBMITTED', 5)]), unknown],
    ['the provider does not know it', answerWith(200, []), unknown],
    [
      'the provider lists another',
      answerWith(200, [{ ...transaction('COMPLETED', 7), external_id: 'x' }]),
      unknown,
    ],
    ['the inquiry fails', answerWith(503, ''), unknown],
    ['the inquiry is dropped', dropped, unknown],
  ];
  it.each(lookUps)('a reference used before is looked up: %s', async (_name, inquiry, outcome) => {
    const server = await providerWith({ order: used, inquiry });
    expect(await clientAt(server.url).send(order)).toEqual(outcome);
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, Handle]>([
    ['finds no transaction', answerWith(404, { errors: [{ code: 1_008_004 }] })],
    ['asks to wait', answerWith(429, '')],
    ['refuses the credentials', answerWith(401, 'no')],
    ['answers no list', answerWith(200, {})],
  ])('an inquiry says unknown when the provider %s', async (_name, inquiry) => {
    const server = await providerWith({ inquiry });
    expect(await clientAt(server.url).findOrder(order)).toEqual(unknown);
  });

  it.each<[string, Handle]>([
    ['is down', answerWith(503, '')],
    ['answers garbage', answerWith(201, '<html>')],
    ['drops the connection', dropped],
  ])('an order is unknown, and not asked about, when the provider %s', async (_name, handle) => {
    const server = await providerWith({ order: handle });
    expect(await clientAt(server.url).send(order)).toEqual(unknown);
    expect(server.requests).toEqual(['POST /async/transactions']);
  });

  it('an inquiry that cannot be sent says unknown, never not-sent', async () => {
    const client = clientAt(await closedAddress());
    expect(await client.findOrder(order)).toEqual(unknown);
    expect(await client.send(order)).toEqual(notSent);
  });

  it('one deadline covers the order and the inquiry after it', async () => {
    // Without it the inquiry would hang, for longer than a test may take.
    const server = await providerWith({ order: used });
    expect(await clientAt(server.url, { timeoutSeconds: 0.2 }).send(order)).toEqual(unknown);
  });
});
