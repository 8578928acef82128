import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
});
afterAll(() => sandbox.close());

const basic = (credentials: string) => `Basic ${btoa(credentials)}`;

async function call(
  path: string,
  body?: unknown,
  { airtimeUrl = sandbox.airtimeUrl, authorization = basic('key:secret') } = {},
) {
  const answer = await fetch(airtimeUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('Content-Type')?.includes('json');
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

const airtime = (mobile_number = '+251911234567', more: object = {}) => ({
  external_id: randomUUID(),
  product_id: 1001,
  auto_confirm: true,
  calculation_mode: 'DESTINATION_AMOUNT',
  destination: { unit_type: 'CURRENCY', unit: 'ETB', amount: 97.5 },
  credit_party_identifier: { mobile_number },
  ...more,
});
const bundle = {
  product_id: 2001,
  calculation_mode: undefined,
  destination: undefined,
};
const number = (suffix: string) => `+251911000${suffix}`;
const send = (body: unknown) => call('/async/transactions', body);

describe('what a transaction request may not be', () => {
  const to = (amount: unknown, more: object = {}) => ({
    destination: { unit_type: 'CURRENCY', unit: 'ETB', amount, ...more },
  });
  const party = (mobile_number: unknown) => ({ credit_party_identifier: { mobile_number } });
  const refusals: [name: string, change: object, status: number, code: number][] = [
    ['without reference', { external_id: undefined }, 400, 1_000_400],
    ['a number as reference', { external_id: 7 }, 400, 1_000_400],
    ['a long reference', { external_id: 'x'.repeat(41) }, 400, 1_000_400],
    ['an empty reference', { external_id: '' }, 400, 1_000_400],
    ['without product', { product_id: undefined }, 400, 1_000_400],
    ['text as product', { product_id: '1001' }, 400, 1_000_400],
    ['a product that is not sold', { product_id: 4 }, 404, 1_003_001],
    ['to be confirmed later', { auto_confirm: false }, 400, 1_000_400],
    ['without number', { credit_party_identifier: undefined }, 400, 1_000_400],
    ['a local number', party('0911234567'), 400, 1_000_400],
    ['a number of another type', party(251_911_234_567), 400, 1_000_400],
    ['without amount', { destination: undefined }, 400, 1_000_400],
    ['text as amount', to('97.50'), 400, 1_000_400],
    ['three decimals', to(97.505), 400, 1_000_400],
    ['another currency', to(97, { unit: 'USD' }), 400, 1_000_400],
    ['another unit type', to(97, { unit_type: 'DATA' }), 400, 1_000_400],
    ['an amount of zero', to(0), 400, 1_003_002],
    ['an amount below zero', to(-5), 400, 1_003_002],
    ['an amount above the range', to(10_000.01), 400, 1_003_002],
    ['another way to calculate', { calculation_mode: 'SOURCE_AMOUNT' }, 400, 1_000_400],
    ['an amount for a package', { product_id: 2001 }, 400, 1_003_002],
    ['no web address to call back', { callback_url: 'ftp://x' }, 400, 1_000_400],
    ['a broken address to call back', { callback_url: 'x' }, 400, 1_000_400],
  ];
  it.each(refusals)('%s', async (_name, change, status, code) => {
    const request = airtime('+251911234567', change);
    const answer = await send(request);
    expect(answer).toMatchObject({
      status,
      body: { errors: [{ code, message: expect.any(String) }] },
    });
    expect(sandbox.books.topups({ reference: request.external_id })).toEqual([]);
  });

  it.each(['{"external_id":', '[1]', 'null', '', '['.repeat(60_000)])('%.20s', async (text) => {
    expect(await send(text)).toMatchObject({
      status: 400,
      body: { errors: [{ code: 1_000_400 }] },
    });
  });

  it('too long', async () => {
    expect((await send('x'.repeat(70_000))).status).toBe(413);
  });
});

describe('a transaction', () => {
  it('is answered in full, and found by its external id', async () => {
    const request = airtime();
    const { status, body } = await send(request);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.any(Number),
      external_id: request.external_id,
      status: { id: 70_000, message: 'COMPLETED', class: { id: 7, message: 'COMPLETED' } },
      operator_reference: expect.stringMatching(/^OP/),
      product: { id: 1001 },
      prices: { wholesale: { unit: 'USD', fee: 0 } },
      requested_values: { destination: { unit: 'ETB', amount: 97.5 } },
      credit_party_identifier: request.credit_party_identifier,
    });
    expect(Number.isSafeInteger(body.id)).toBe(true);
    const found = await call(`/transactions?external_id=${request.external_id}`);
    expect(found.body).toEqual([body]);
    expect(sandbox.books.topups({ reference: request.external_id })).toMatchObject([
      { to: '+251911234567', amount: '97.50', currency: 'ETB', status: 'completed' },
    ]);
  });

  it('is taken once under its external id', async () => {
    const request = airtime();
    expect((await send(request)).status).toBe(201);
    for (const again of [send(request), send({ ...request, ...bundle })]) {
      expect(await again).toMatchObject({
        status: 400,
        body: { errors: [{ code: 1_007_001 }] },
      });
    }
    expect(sandbox.books.topups({ reference: request.external_id })).toHaveLength(1);
  });

  it('of a package costs its price', async () => {
    const request = airtime('+251911234567', bundle);
    expect((await send(request)).body.product).toEqual({ id: 2001 });
    expect(sandbox.books.topups({ reference: request.external_id })).toMatchObject([
      { amount: '15.00' },
    ]);
  });

  it.each([
    ['000', 'COMPLETED', 'COMPLETED'],
    ['002', 'DECLINED-INVALID-CREDIT-PARTY', 'DECLINED-INVALID-CREDIT-PARTY'],
    ['003', 'DECLINED-BARRED-CREDIT-PARTY', 'DECLINED-BARRED-CREDIT-PARTY'],
    ['004', 'DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE', 'DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE'],
    ['005', 'DECLINED-DUPLICATED-TRANSACTION', 'DECLINED-DUPLICATED-TRANSACTION'],
    ['006', 'DECLINED', 'DECLINED'],
    ['007', 'DECLINED-EXCEPTION', 'DECLINED-EXCEPTION'],
    ['010', 'CONFIRMED', 'COMPLETED'],
    ['011', 'CONFIRMED', 'COMPLETED'],
    ['012', 'CONFIRMED', 'COMPLETED'],
    ['013', 'CONFIRMED', 'COMPLETED'],
    ['014', 'CONFIRMED', 'SUBMITTED'],
    ['015', 'COMPLETED', 'REVERSED'],
    ['307', 'DECLINED-EXCEPTION', 'DECLINED-EXCEPTION'],
  ])('to …%s is %s, then %s', async (suffix, ...expected) => {
    const request = airtime(number(suffix));
    const answer = await send(request);
    const later = await call(`/transactions?external_id=${request.external_id}`);
    const messages = [answer.body, later.body[0]].map(({ status }) => status.message);
    expect(messages).toEqual(expected);
    expect(answer.status).toBe(201);
  });

  it.each([
    ['009', 503, 'application/json', null, 1],
    ['016', 429, 'text/plain', '5', 0],
    ['018', 401, 'text/plain', null, 0],
  ])('to …%s answers %i', async (suffix, status, type, retryAfter, taken) => {
    const request = airtime(number(suffix));
    const answer = await send(request);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toContain(type);
    expect(answer.headers.get('Retry-After')).toBe(retryAfter);
    expect(sandbox.books.topups({ reference: request.external_id })).toHaveLength(taken);
  });

  it('to …008 is done, and its connection dropped', async () => {
    const request = airtime(number('008'));
    await expect(send(request)).rejects.toThrow();
    expect(sandbox.books.topups({ reference: request.external_id })).toMatchObject([
      { status: 'completed' },
    ]);
  });

  it('of one operator to the other’s number is declined', async () => {
    const request = airtime('+251711000000');
    expect((await send(request)).body.status.message).toBe('DECLINED-INVALID-CREDIT-PARTY');
    const safaricom = { ...airtime('+251711000000'), product_id: 1002 };
    expect((await send(safaricom)).body.status.message).toBe('COMPLETED');
  });

  it('takes its time, and is submitted meanwhile', async () => {
    const slow = await startSandbox({ port: 0, delayScale: 1 });
    const request = airtime(number('300'));
    const waiting = call('/async/transactions', request, slow).catch(() => 'cut');
    const inquire = async () =>
      (await call(`/transactions?external_id=${request.external_id}`, undefined, slow)).body;
    await expect.poll(inquire).toMatchObject([{ status: { message: 'SUBMITTED' } }]);
    await slow.close();
    expect(await waiting).toBe('cut');
  });
});

describe('what else can be asked', () => {
  it('transactions of a day, page by page', async () => {
    const fresh = await startSandbox({ port: 0 });
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const request = airtime();
      ids.unshift(request.external_id);
      await call('/async/transactions', request, fresh);
    }
    const list = async (query: string) => {
      const { status, body } = await call(`/transactions${query}`, undefined, fresh);
      const found =
        status === 200 ? body.map((one: { external_id: string }) => one.external_id) : body;
      return { status, found };
    };
    const now = Date.now();
    const from = (milliseconds: number) =>
      `from_date=${new Date(now - milliseconds).toISOString()}`;
    const to = `to_date=${new Date(now + 1000).toISOString()}`;
    expect(await list('')).toMatchObject({ found: ids });
    expect(await list('?per_page=2')).toMatchObject({ found: ids.slice(0, 2) });
    expect(await list('?per_page=2&page=2')).toMatchObject({ found: ids.slice(2) });
    expect(await list(`?${from(3_600_000)}&${to}`)).toMatchObject({ found: ids });
    expect(await list(`?to_date=${new Date(now - 86_400_000).toISOString()}`)).toMatchObject({
      found: [],
    });
    expect(await list(`?${from(2 * 86_400_000)}&${to}`)).toMatchObject({ status: 400 });
    expect(await list('?from_date=yesterday')).toMatchObject({ status: 400 });
    await fresh.close();
  });

  it('an external id that was never used', async () => {
    expect(await call('/transactions?external_id=none')).toMatchObject({ status: 200, body: [] });
  });

  it('balances', async () => {
    expect((await call('/balances')).body).toMatchObject([{ available: expect.any(Number) }]);
  });

  it.each([basic('key:'), basic(':secret'), basic('key'), 'Bearer key:secret', ''])(
    'nothing with the credentials %j',
    async (authorization) => {
      const request = airtime();
      expect(await call('/async/transactions', request, { authorization })).toMatchObject({
        status: 401,
        body: { errors: [{ code: 1_000_401 }] },
      });
      expect(sandbox.books.topups({ reference: request.external_id })).toEqual([]);
    },
  );
});
