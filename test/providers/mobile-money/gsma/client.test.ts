import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createGsmaMobileMoney } from '../../../../src/providers/mobile-money/gsma/client.ts';
import type { Payment } from '../../../../src/providers/mobile-money/mobile-money.ts';
import type { ProviderOutcome } from '../../../../src/providers/outcome.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { answerWith, closedAddress, type RawServer, startRawServer } from '../../raw-server.ts';

/** A short limit is only for a call that waits for it: a machine may hold up an answer for as long. */
const clientAt = (baseUrl: string, timeoutSeconds = 60) =>
  createGsmaMobileMoney({ baseUrl, account: '2999', timeoutSeconds });

const paymentTo = (number: string, key = 'msisdn'): Payment => ({
  reference: randomUUID(),
  amount: '97.500000',
  currency: 'ETB',
  payee: [{ key, value: number }],
  description: 'Voucher redemption',
});

const delivered = { kind: 'delivered', providerReference: expect.stringMatching(/^MM/) };
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

const takenAsOf = (outcome: ProviderOutcome | undefined) =>
  outcome?.kind === 'unknown' ? outcome.takenAs : undefined;

/** A duplicate whose request has failed is no resource of the provider. */
const afterDuplicate = (found: object) => (found === neverSeen ? unknown : found);

it('says in each call who we are, and whose accounts they are', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const server = await startRawServer((request, response) => {
    seen.push(request.headers);
    const answer =
      request.url === '/token'
        ? answerWith(200, { access_token: 'token', expires_in: 3_600 })
        : answerWith(404, { errorCategory: 'identification', errorCode: 'identifierError' });
    answer(request, response);
  });
  const gsma = createGsmaMobileMoney({
    baseUrl: server.url,
    account: '2999',
    timeoutSeconds: 60,
    token: { url: `${server.url}/token`, key: 'key', secret: 'secret' },
    clientHeaders: { 'X-API-Key': 'key', 'X-Client-Id': 'service' },
  });
  await gsma.pay(paymentTo('+251911234567'));
  await gsma.findPayment(paymentTo('+251911234567'));
  await gsma.balance?.();
  await server.close();
  expect(seen.length).toBeGreaterThanOrEqual(4);
  for (const headers of seen)
    expect(headers).toMatchObject({ 'x-api-key': 'key', 'x-client-id': 'service' });
});

it('asks for a request state as often as the provider allows, and then once an hour or for its transaction', async () => {
  const state = { serverCorrelationId: 'state-1', status: 'pending', pollLimit: 2 };
  let link = 'https://gsma.example/requeststates/state-1';
  const payment = paymentTo('+251911234567');
  const server = await startRawServer((request, response) => {
    const [, collection] = /^\/(\w+)/.exec(request.url ?? '') ?? [];
    const bodies: Record<string, object> = {
      responses: { link },
      requeststates: state,
      transactions: {
        transactionReference: 'MM1',
        transactionStatus: 'completed',
        amount: '97.50',
        currency: 'ETB',
        requestingOrganisationTransactionReference: payment.reference,
      },
    };
    answerWith(200, bodies[collection ?? ''] ?? {})(request, response);
  });
  const gsma = clientAt(server.url);
  for (let inquiry = 0; inquiry < 4; inquiry += 1)
    expect(await gsma.findPayment(payment)).toEqual(unknown);
  const polls = server.requests.filter((line) => line.includes('/requeststates/'));
  expect(polls).toHaveLength(2);
  // A failed request has no transaction: one poll an hour goes on.
  vi.setSystemTime(Date.now() + 3_600_000);
  for (let inquiry = 0; inquiry < 2; inquiry += 1)
    expect(await gsma.findPayment(payment)).toEqual(unknown);
  vi.useRealTimers();
  expect(server.requests.filter((line) => line.includes('/requeststates/'))).toHaveLength(3);
  link = 'https://gsma.example/transactions/MM1';
  expect(await gsma.findPayment(payment)).toEqual({ kind: 'delivered', providerReference: 'MM1' });
  await server.close();
});

describe('against the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, delayScale: 0 });
  });
  afterAll(() => sandbox.close());

  /** What `pay` says, what is found by our reference after it, and what the books say. */
  const bySuffix: [suffix: string, paid: object, found: object, books: string[]][] = [
    ['000', delivered, delivered, ['completed']],
    ['002', refused('identifierError', false), neverSeen, []],
    ['003', refused('incorrectState', false), neverSeen, []],
    ['004', refused('genericError', true), neverSeen, ['failed']],
    ['005', delivered, delivered, ['completed']],
    ['006', refused('requestDeclined', false), neverSeen, []],
    ['007', unknown, refused('failed', true), ['failed']],
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
    ['308', unknown, delivered, ['completed']],
    ['567', delivered, delivered, ['completed']],
  ];
  it.each(bySuffix)('a payee whose number ends in %s', async (suffix, paid, found, statuses) => {
    const client = clientAt(sandbox.mobileMoneyUrl);
    const payment = paymentTo(`+251911000${suffix}`);
    expect(await client.findPayment(payment)).toEqual(neverSeen);
    const outcome = await client.pay(payment);
    expect(outcome).toEqual(paid);
    expect(await client.findPayment(payment, takenAsOf(outcome))).toEqual(found);

    // A repetition, as after a lost answer, tells what is known and pays nothing again.
    const again = await client.pay(payment);
    expect(again).toEqual(statuses.length > 0 ? afterDuplicate(found) : paid);
    const rows = sandbox.books.payouts({ reference: payment.reference });
    expect(rows.map(({ status }) => status)).toEqual(statuses);
    expect(rows.every(({ amount, currency }) => amount === '97.50' && currency === 'ETB')).toBe(
      true,
    );
  });

  const bySuffixOfReversal: [suffix: string, sent: object, found: object, books: string][] = [
    ['000', delivered, delivered, 'completed'],
    ['020', refused('requestDeclined', false), neverSeen, 'none'],
    ['021', unknown, delivered, 'completed'],
    ['022', unknown, delivered, 'completed'],
    ['023', unknown, unknown, 'pending'],
    ['024', refused('genericError', true), neverSeen, 'failed'],
    ['325', delivered, delivered, 'completed'],
  ];
  it.each(bySuffixOfReversal)(
    'the reversal of a payment to %s',
    async (suffix, sent, found, end) => {
      const client = clientAt(sandbox.mobileMoneyUrl);
      const payment = paymentTo(`+251911000${suffix}`);
      const paid = await client.pay(payment);
      const reversal = {
        reference: randomUUID(),
        payment,
        paymentReference: 'providerReference' in paid ? paid.providerReference : '',
        description: 'Reversal',
      };
      expect(await client.reversals?.findReversal(reversal)).toEqual(neverSeen);
      const outcome = await client.reversals?.reverse(reversal);
      expect(outcome).toEqual(sent);
      expect(await client.reversals?.findReversal(reversal, takenAsOf(outcome))).toEqual(found);
      const books = sandbox.books.reversals({ reference: reversal.reference });
      expect(books[0]?.status ?? 'none').toBe(end);
      expect(books).toHaveLength(end === 'none' ? 0 : 1);
      const [payout] = sandbox.books.payouts({ reference: payment.reference });
      expect(payout?.status).toBe(end === 'completed' ? 'reversed' : 'completed');

      // A repetition tells what is known; a second reversal is refused once one was taken.
      expect(await client.reversals?.reverse(reversal)).toEqual(
        end === 'none' ? sent : afterDuplicate(found),
      );
      if (end === 'completed' || end === 'pending')
        expect(await client.reversals?.reverse({ ...reversal, reference: randomUUID() })).toEqual(
          refused('incorrectState', false),
        );
      // What the provider has under our reference must be what we asked for.
      if (end === 'completed')
        expect(
          await client.reversals?.findReversal({
            ...reversal,
            payment: { ...payment, amount: '97.510000' },
          }),
        ).toMatchObject({ kind: 'unknown', disagrees: true });
    },
  );

  it('pays once when the same payment is sent many times at once', async () => {
    const client = clientAt(sandbox.mobileMoneyUrl);
    const payment = paymentTo('+251911000000');
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => client.pay(payment)));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(outcomes[0]).toEqual(delivered);
    expect(sandbox.books.payouts({ reference: payment.reference })).toHaveLength(1);
  });

  it('finds a slow payment in progress', async () => {
    // It answers when it closes.
    const slow = await startSandbox({ port: 0, delayScale: 1_000 });
    const payment = paymentTo('+251911000100');
    const client = clientAt(slow.mobileMoneyUrl);
    const paid = client.pay(payment);
    const payouts = () => slow.books.payouts({ reference: payment.reference });
    await expect.poll(payouts).toHaveLength(1);
    expect(await client.findPayment(payment)).toEqual(unknown);
    await slow.close();
    expect(['delivered', 'unknown']).toContain((await paid).kind);
    await expect.poll(payouts).toMatchObject([{ status: 'completed' }]);
  });

  it('never takes a payment of another amount or to another payee for its own', async () => {
    const client = clientAt(sandbox.mobileMoneyUrl);
    const payment = paymentTo('+251911000000');
    expect(await client.pay(payment)).toEqual(delivered);
    const others = [
      [
        { ...payment, amount: '97.51' },
        { amount: '97.50', outcome: delivered },
      ],
      [{ ...payment, payee: paymentTo('+251911000011').payee }, undefined],
    ] as const;
    for (const [other, otherAmount] of others) {
      const disagreeing = {
        kind: 'unknown',
        message: expect.any(String),
        disagrees: true,
        otherAmount,
        takenAs: expect.any(String),
      };
      expect(await client.pay(other)).toEqual(disagreeing);
      expect(await client.findPayment(other)).toEqual(disagreeing);
    }
    const sameNumber = { ...payment, payee: [{ key: 'MSISDN', value: '251911000000' }] };
    expect(await client.findPayment(sameNumber)).toEqual(delivered);
    expect(sandbox.books.payouts({ reference: payment.reference })).toHaveLength(1);
  });

  it('can carry what the ledger holds', () => {
    const client = clientAt(sandbox.mobileMoneyUrl);
    expect(['0.01', '97.50', '1000000.000000'].every((amount) => client.canCarry(amount))).toBe(
      true,
    );
  });
});

describe('with access tokens', () => {
  let sandbox: Sandbox;
  const open: RawServer[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0 });
  });
  afterAll(() => sandbox.close());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  async function tokenServer(handle: (request: IncomingMessage, response: ServerResponse) => void) {
    const server = await startRawServer(handle);
    open.push(server);
    return server;
  }
  const clientWith = (tokenUrl: string, { secret = 'secret', timeoutSeconds = 60 } = {}) =>
    createGsmaMobileMoney({
      baseUrl: sandbox.mobileMoneyUrl,
      token: { url: tokenUrl, key: 'key', secret },
      account: '2999',
      timeoutSeconds,
    });
  /** Gives on what the sandbox's token endpoint says, and counts. */
  const forward =
    (expiresIn?: string) => async (request: IncomingMessage, response: ServerResponse) => {
      const headers = {
        Authorization: request.headers.authorization ?? '',
        'Content-Type': 'application/x-www-form-urlencoded',
      };
      const body = 'grant_type=client_credentials';
      const granted = await fetch(sandbox.mobileMoneyTokenUrl, { method: 'POST', headers, body });
      const grant: unknown = await granted.json();
      const changed = expiresIn ? { expires_in: expiresIn } : {};
      answerWith(granted.status, Object.assign({}, grant, changed))(request, response);
    };

  it('fetches one token for many payments', async () => {
    const server = await tokenServer((...both) => void forward()(...both));
    const client = clientWith(server.url);
    const payments = Array.from({ length: 20 }, () => paymentTo('+251911000000'));
    const outcomes = await Promise.all(payments.map((payment) => client.pay(payment)));
    expect(outcomes).toEqual(Array(20).fill(delivered));
    expect(await client.pay(paymentTo('+251911000000'))).toEqual(delivered);
    expect(server.requests).toHaveLength(1);
  });

  it('fetches another one when the first is about to expire', async () => {
    const server = await tokenServer((...both) => void forward('0.001')(...both));
    const client = clientWith(server.url);
    await client.pay(paymentTo('+251911000000'));
    await expect
      .poll(async () => {
        expect(await client.pay(paymentTo('+251911000000'))).toEqual(delivered);
        return server.requests.length;
      })
      .toBeGreaterThan(1);
  });

  it('fetches another one when the first is not accepted, and sends again', async () => {
    let turn = 0;
    const server = await tokenServer((request, response) => {
      turn += 1;
      if (turn === 1) answerWith(200, { access_token: 'stale' })(request, response);
      else void forward()(request, response);
    });
    expect(await clientWith(server.url).pay(paymentTo('+251911000000'))).toEqual(delivered);
    expect(turn).toBe(2);
  });

  it('gives up when the second token is not accepted either', async () => {
    const server = await tokenServer(answerWith(200, { access_token: 'wrong', expires_in: 60 }));
    const client = clientWith(server.url);
    const payment = paymentTo('+251911000000');
    expect(await client.pay(payment)).toEqual(notSent);
    expect(server.requests).toHaveLength(2);
    expect(await client.findPayment(payment)).toEqual(unknown);
    expect(sandbox.books.payouts({ reference: payment.reference })).toEqual([]);
  });

  it('does not take a declined payment for a wrong token', async () => {
    const server = await tokenServer((...both) => void forward()(...both));
    const outcome = await clientWith(server.url).pay(paymentTo('+251911000006'));
    expect(outcome).toEqual(refused('requestDeclined', false));
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['refuses', answerWith(401, { error: 'invalid_client' })],
    ['answers garbage', answerWith(200, '<html>')],
    ['gives no token', answerWith(200, { access_token: '' })],
    ['hangs', () => undefined],
    ['drops the connection', (request) => request.socket.destroy()],
  ])('sends nothing when the token endpoint %s', async (name, handle) => {
    const server = await tokenServer(handle);
    const client = clientWith(server.url, { timeoutSeconds: name === 'hangs' ? 0.5 : 60 });
    const payment = paymentTo('+251911000000');
    expect(await client.pay(payment)).toEqual(notSent);
    expect(await client.findPayment(payment)).toEqual(unknown);
    expect(sandbox.books.payouts({ reference: payment.reference })).toEqual([]);
  });

  it('uses HTTP Basic where there is no token endpoint, and names its callback address', async () => {
    const seen: (string | undefined)[] = [];
    const server = await tokenServer((request, response) => {
      seen.push(request.headers.authorization, String(request.headers['x-callback-url']));
      answerWith(202, { status: 'pending' })(request, response);
    });
    const client = createGsmaMobileMoney({
      baseUrl: server.url,
      basic: { key: 'key', secret: 'secret' },
      callbackUrl: 'https://service.example/callbacks/gsma/secret',
      account: '2999',
      timeoutSeconds: 60,
    });
    expect(await client.pay(paymentTo('+251911000000'))).toEqual(unknown);
    const basic = `Basic ${btoa('key:secret')}`;
    expect(seen).toEqual([basic, 'https://service.example/callbacks/gsma/secret']);
    await client.findPayment(paymentTo('+251911000000'));
    expect(seen.slice(2)).toEqual([basic, 'undefined']);
  });

  it('fails for an account that the provider does not know', async () => {
    const client = clientWith(sandbox.mobileMoneyTokenUrl, { secret: '' });
    expect(await client.pay(paymentTo('+251911000000'))).toEqual(notSent);
  });
});

describe('against providers that are broken', () => {
  const open: RawServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  /** A provider that answers by path; the first row whose text is in the path counts. */
  async function providerWith(rows: [path: string, status: number, body: unknown][]) {
    const server = await startRawServer((request, response) => {
      const row = rows.find(([path]) => request.url?.includes(path));
      if (row) answerWith(row[1], row[2])(request, response);
    });
    open.push(server);
    return server;
  }
  const payment = paymentTo('+251911234567');
  const transaction = { transactionReference: 'MM1', transactionStatus: 'completed' };
  const duplicate = { errorCategory: 'businessRule', errorCode: 'duplicateRequest' };
  const nothing = { errorCategory: 'identification', errorCode: 'identifierError' };

  it('a completed request state is looked up', async () => {
    const server = await providerWith([
      ['/disbursement', 202, { status: 'completed', objectReference: 'MM1' }],
      ['/responses/', 200, { link: '/requeststates/S1' }],
      ['/requeststates/S1', 200, { status: 'completed', objectReference: 'MM1' }],
      ['/transactions/MM1', 200, transaction],
    ]);
    expect(await clientAt(`${server.url}/mm`).pay(payment)).toEqual(delivered);
    expect(server.requests).toEqual([
      'POST /mm/transactions/type/disbursement',
      `GET /mm/responses/${payment.reference}`,
      'GET /mm/requeststates/S1',
      'GET /mm/transactions/MM1',
    ]);
  });

  it('a link to another origin is asked at the provider, nowhere else', async () => {
    const elsewhere = await providerWith([['', 200, transaction]]);
    const server = await providerWith([
      ['/responses/', 200, { link: `${elsewhere.url}/transactions/MM1` }],
      ['/transactions/MM1', 200, { ...transaction, transactionStatus: 'pending' }],
    ]);
    expect(await clientAt(server.url).findPayment(payment)).toEqual(unknown);
    expect(elsewhere.requests).toEqual([]);
  });

  const inquiries: [string, [path: string, status: number, body: unknown][]][] = [
    ['it is told to wait', [['/responses/', 429, '']]],
    ['the link is garbage', [['/responses/', 200, { link: 'javascript:alert(1)' }]]],
    [
      'the transaction is gone',
      [
        ['/responses/', 200, { link: '/transactions/MM1' }],
        ['/transactions/MM1', 404, nothing],
      ],
    ],
    [
      'the transaction is another one',
      [
        ['/responses/', 200, { link: '/transactions/MM1' }],
        [
          '/transactions/MM1',
          200,
          { ...transaction, requestingOrganisationTransactionReference: randomUUID() },
        ],
      ],
    ],
    [
      'the request state failed as a duplicate',
      [
        ['/responses/', 200, { link: '/requeststates/S1' }],
        ['/requeststates/S1', 200, { status: 'failed', error: duplicate }],
      ],
    ],
    [
      'a gateway answers in place of the request state',
      [
        ['/responses/', 200, { link: '/requeststates/S1' }],
        ['/requeststates/S1', 200, { status: 'failed' }],
      ],
    ],
  ];
  it.each(inquiries)('an inquiry says unknown when %s', async (_name, rows) => {
    const server = await providerWith(rows);
    expect(await clientAt(server.url).findPayment(payment)).toEqual(unknown);
  });

  it('an inquiry that cannot be sent says unknown, never not-sent', async () => {
    const client = clientAt(await closedAddress());
    expect(await client.findPayment(payment)).toEqual(unknown);
    expect(await client.pay(payment)).toEqual(notSent);
  });

  it('one deadline covers the payment and the inquiry after it', async () => {
    // Without it the inquiry would hang, for longer than a test may take.
    const server = await providerWith([['/disbursement', 400, duplicate]]);
    const outcome = await clientAt(server.url, 0.2).pay(payment);
    expect(outcome).toEqual(unknown);
    expect(takenAsOf(outcome)).toBe(payment.reference);
  });
});
