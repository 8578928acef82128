import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import type { AirtimeOrder } from '../../../../src/providers/airtime/airtime.ts';
import { startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { answerWith, closedAddress, type RawServer, startRawServer } from '../../raw-server.ts';
import { since, statementLines } from '../../statement-lines.ts';
import { reloadlyAt } from '../adapters.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function raw(handle: Parameters<typeof startRawServer>[0]): Promise<RawServer> {
  const server = await startRawServer(handle);
  open.push(server);
  return server;
}

async function sandbox(delayScale = 0) {
  const started = await startSandbox({ port: 0, delayScale });
  open.push(started);
  return started;
}

const order = (msisdn = '+251911234567'): AirtimeOrder => ({
  reference: randomUUID(),
  msisdn,
  product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '97.50' },
});
const token = { access_token: 'token', expires_in: 86_400, token_type: 'Bearer' };

it('asks for a token in JSON, once for many calls', async () => {
  const bodies: unknown[] = [];
  const server = await raw((request, response) => {
    if (request.url !== '/oauth/token')
      return answerWith(200, { transactionId: 1 })(request, response);
    json(request).then((body) => {
      bodies.push(body);
      answerWith(200, token)(request, response);
    });
  });
  const airtime = reloadlyAt(server.url);
  await Promise.all(Array.from({ length: 5 }, () => airtime.send(order())));
  expect(bodies).toEqual([
    {
      client_id: 'client',
      client_secret: 'secret',
      grant_type: 'client_credentials',
      audience: 'https://topups.reloadly.com',
    },
  ]);
  expect(server.requests.filter((line) => line === 'POST /topups-async')).toHaveLength(5);
});

it('renews a token that the provider no longer takes, and sends the order once', async () => {
  let tokens = 0;
  const server = await raw((request, response) => {
    if (request.url === '/oauth/token') {
      tokens += 1;
      return answerWith(200, { ...token, access_token: `t${tokens}` })(request, response);
    }
    const isFresh = request.headers.authorization === 'Bearer t2';
    return isFresh
      ? answerWith(200, { transactionId: 1 })(request, response)
      : answerWith(401, { errorCode: 'TOKEN_EXPIRED', message: '' })(request, response);
  });
  expect(await reloadlyAt(server.url).send(order())).toMatchObject({ kind: 'unknown' });
  expect(server.requests).toEqual([
    'POST /oauth/token',
    'POST /topups-async',
    'POST /oauth/token',
    'POST /topups-async',
  ]);
});

it('sends nothing without a token', async () => {
  const refusing = await raw(answerWith(401, { errorCode: 'INVALID_CREDENTIALS', message: '' }));
  const api = await raw(answerWith(200, { transactionId: 1 }));
  for (const tokenUrl of [refusing.url, await closedAddress()])
    expect(await reloadlyAt(api.url, { tokenUrl }).send(order())).toMatchObject({
      kind: 'not-sent',
    });
  expect(api.requests).toEqual([]);
});

it('does not say that an order was never received until its last sending is long over', async () => {
  const { reloadlyUrl } = await sandbox();
  const airtime = reloadlyAt(reloadlyUrl, { settleSeconds: 60 });
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
  for (const lastSentAt of [undefined, new Date(), ago(59)])
    expect(await airtime.findOrder(order(), lastSentAt)).toMatchObject({ kind: 'unknown' });
  expect(await airtime.findOrder(order(), ago(61))).toEqual({ kind: 'never-seen' });
});

it.each([
  ['is under way', 200, { status: 'PROCESSING', transaction: null }, 'unknown'],
  [
    'was delivered',
    200,
    { status: 'SUCCESSFUL', transaction: { transactionId: 7, status: 'SUCCESSFUL' } },
    'delivered',
  ],
  [
    'was delivered, without the top-up',
    200,
    { status: 'SUCCESSFUL', transaction: null },
    'delivered',
  ],
  [
    'was delivered, in the shape of the documents',
    200,
    { transactionId: 7, status: 'SUCCESSFUL' },
    'delivered',
  ],
  ['has failed', 200, { status: 'FAILED', transaction: null }, 'refused'],
  ['is refused by a gateway', 200, { status: 'failed', message: 'Upstream is busy' }, 'unknown'],
  ['is accepted by a gateway', 200, { status: 'successful' }, 'unknown'],
  ['is not found', 404, { errorCode: 'TRANSACTION_NOT_FOUND', message: '' }, 'unknown'],
])(
  'asks by the id of the provider for a top-up that the report lacks: it %s',
  async (_, status, told, kind) => {
    const server = await raw((request, response) => {
      if (request.url === '/oauth/token') return answerWith(200, token)(request, response);
      if (request.method === 'POST')
        return answerWith(200, { transactionId: 7 })(request, response);
      return request.url === '/topups/7/status'
        ? answerWith(status, told)(request, response)
        : answerWith(200, { content: [] })(request, response);
    });
    const airtime = reloadlyAt(server.url, { settleSeconds: 60 });
    const same = order();
    expect(await airtime.send(same)).toMatchObject({ kind: 'unknown', takenAs: '7' });
    expect(await airtime.findOrder(same, new Date(0))).toEqual({ kind: 'never-seen' });
    expect(await airtime.findOrder(same, new Date(0), '7')).toMatchObject({
      kind,
      ...(kind === 'delivered' && { providerReference: '7' }),
    });
  },
);

it('never makes an order twice of which it does not know whether it arrived', async () => {
  const { reloadlyUrl, books } = await sandbox();
  const airtime = reloadlyAt(reloadlyUrl);
  const same = order();
  await airtime.send(same);
  expect(await airtime.send(same)).toMatchObject({ kind: 'delivered' });
  expect(books.topups({ reference: same.reference })).toHaveLength(1);
});

it('leaves a used reference that the provider does not list unknown', async () => {
  const server = await raw((request, response) => {
    if (request.url === '/oauth/token') return answerWith(200, token)(request, response);
    return request.method === 'POST'
      ? answerWith(400, { errorCode: 'CUSTOM_IDENTIFIER_ALREADY_USED', message: 'Used' })(
          request,
          response,
        )
      : answerWith(200, { content: [] })(request, response);
  });
  expect(await reloadlyAt(server.url).send(order())).toMatchObject({ kind: 'unknown' });
});

it('takes airtime, and no package: its id is of another provider', async () => {
  const { reloadlyUrl } = await sandbox();
  const airtime = reloadlyAt(reloadlyUrl);
  const pack = { kind: 'package', providerProductId: 2001 } as const;
  expect([airtime.canSend(order().product), airtime.canSend(pack)]).toEqual([true, false]);
  expect(await airtime.send({ ...order(), product: pack })).toMatchObject({ kind: 'not-sent' });
  expect(['0.01', '97.505', '0'].map((amount) => airtime.canCarry(amount))).toEqual([
    true,
    false,
    false,
  ]);
});

it('lists the top-ups of a period, page by page', async () => {
  const { reloadlyUrl, airtimeUrl, books } = await sandbox();
  const airtime = reloadlyAt(reloadlyUrl);
  const orders = Array.from({ length: 120 }, () => order());
  for (const one of orders) await airtime.send(one);
  const failed = order('+251911000006');
  await airtime.send(failed);
  expect(airtimeUrl).not.toBe(reloadlyUrl);
  expect(books.topups({ provider: 'reloadly' })).toHaveLength(121);
  const now = Date.now();
  const linesOf = (from: number, to: number) =>
    statementLines(airtime, { from: new Date(from), to: new Date(to) });
  const lines = await linesOf(now - 60_000, now + 60_000);
  expect(lines.map(({ reference }) => reference).toSorted()).toEqual(
    [...orders, failed].map(({ reference }) => reference).toSorted(),
  );
  expect(lines.find(({ reference }) => reference === failed.reference)).toMatchObject({
    kind: 'top-up',
    status: 'failed',
    currency: 'ETB',
    fee: null,
    // The account is not kept in birr, so that the delivered amount is rounded.
    amount: expect.stringMatching(/^97\.50/),
    providerReference: expect.stringMatching(/^\d+$/),
    party: '+251911000006',
  });
  expect(await linesOf(now + 60_000, now + 120_000)).toEqual([]);
});

it('reads times as of the zone of the provider, and asks for a day more on each side', async () => {
  const dates = ['2026-11-22 08:13:39', '2026-11-21 09:00:00', '2026-11-21 07:00:00'];
  const queries: URLSearchParams[] = [];
  const server = await raw((request, response) => {
    if (request.url === '/oauth/token') return answerWith(200, token)(request, response);
    queries.push(new URL(request.url ?? '', 'http://reloadly.example').searchParams);
    if (queries.length > 1) return answerWith(200, { content: [] })(request, response);
    const content = dates.map((transactionDate, index) => ({
      transactionId: index,
      status: 'SUCCESSFUL',
      transactionDate,
    }));
    return answerWith(200, { content })(request, response);
  });
  const period = { from: new Date('2026-11-21T14:00:00Z'), to: new Date('2026-11-23T13:00:00Z') };
  const lines = await statementLines(reloadlyAt(server.url), period);
  expect(lines.map(({ at }) => at.toJSON())).toEqual([
    '2026-11-22T13:13:39.000Z',
    '2026-11-21T14:00:00.000Z',
  ]);
  expect([queries[0]?.get('startDate'), queries[0]?.get('endDate')]).toEqual([
    '2026-11-20 09:00:00',
    '2026-11-24 08:00:00',
  ]);
});

it.each([
  ['no list', 200, {}],
  ['a top-up without a time', 200, { content: [{ transactionId: 1, status: 'FAILED' }] }],
  ['503', 503, 'Service Unavailable'],
])('lists nothing of %s', async (_name, status, body) => {
  const server = await raw((request, response) =>
    request.url === '/oauth/token'
      ? answerWith(200, token)(request, response)
      : answerWith(status, body)(request, response),
  );
  await expect(statementLines(reloadlyAt(server.url), since(new Date()))).rejects.toThrow(
    /list|Service Unavailable|503/,
  );
});
