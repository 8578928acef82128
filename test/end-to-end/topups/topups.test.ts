import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, partnerClient, type RawPartner } from '../../support/clients.ts';
import { deposit, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { repeated } from '../gift/gift-scene.ts';

let stack: Stack;
let products: TopupProducts;
let asPartner: RawPartner;
let numbers = 0;

beforeAll(async () => {
  stack = await startStack({ CALLER_WAIT_SECONDS: '2', PROVIDER_BREAKER_CALLS: '1000' });
  ({ products, client: asPartner } = await newSeller());
});
afterAll(() => stack?.stop());

/** A partner that has airtime to sell, and is logged in. */
async function newSeller() {
  const partner = await makePartner(stack);
  const products = await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
  return { products, client: await partnerClient(stack, partner) };
}

/** A number of its own per case; its last three digits decide what the sandbox does. */
function number(suffix: string, operatorDigit = '9'): string {
  numbers += 1;
  return `+251${operatorDigit}${String(numbers).padStart(5, '0')}${suffix}`;
}

const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

/** Sends a request, and repeats it under its key while its result is open; the last answer. */
function ended(path: string, body: object, client = asPartner): Promise<Answer> {
  const headers = { 'Idempotency-Key': randomUUID() };
  return repeated(() => client.post(`/topup-transactions/${path}`, body, headers), isOpen);
}

const isOpen = ({ status, body }: Answer) => status === 200 && body.data.status === undefined;

const topup = (msisdn: string, extra: object = {}, client = asPartner) =>
  ended('airtime-topup', { amount: 50, msisdn, ...sale, ...extra }, client);

const buy = (productId: number, msisdn: string) =>
  ended('airtime-package-topup', { productId, msisdn, ...sale });

const retry = (body: object, client = asPartner) => ended('retry-topup', body, client);

async function wallet(client = asPartner): Promise<number> {
  const { body } = await client.get('/info/get-current-balance');
  return body.data.walletBalance;
}

const show = async (transactionId: number, client = asPartner) =>
  (await client.get(`/topup-transactions/${transactionId}`)).body.data;

async function delivered(msisdn: string): Promise<{ status: string; amount: string }[]> {
  const { body } = await call(`${stack.sandbox.url}/books?to=${encodeURIComponent(msisdn)}`);
  return body.topups;
}

const transactionIdOf = (answer: Answer): number => answer.body.data.transactionId;

describe.concurrent('every behaviour of the provider', () => {
  it.each([
    // suffix, what the provider does, HTTP status, final state, rows in the books that delivered
    ['000', 'completes', 200, 'SUCCESS', 1],
    ['006', 'declines', 424, 'FAILED', 0],
    ['100', 'completes after a while', 200, 'SUCCESS', 1],
    ['008', 'does it and drops the connection', 200, 'SUCCESS', 1],
    ['010', 'calls back before it answers', 200, 'SUCCESS', 1],
    ['011', 'calls back twice', 200, 'SUCCESS', 1],
    ['012', 'never calls back', 200, 'SUCCESS', 1],
    ['015', 'completes, then reverses', 200, 'SUCCESS', undefined],
    ['016', 'answers 429', 424, 'FAILED', 0],
  ])('x%s: it %s', async (suffix, _what, status, state, deliveries) => {
    const msisdn = number(suffix);
    const { client } = await newSeller();
    const before = await wallet(client);
    const answer = await topup(msisdn, {}, client);
    expect([answer.status, answer.body.statusCode]).toEqual([status, status]);
    expect(answer.body.data).toMatchObject({ status: state });

    const shown = await show(transactionIdOf(answer), client);
    expect(shown).toMatchObject({ status: state, amount: '50.000000', attempt: 1 });
    expect(await wallet(client)).toBe(state === 'SUCCESS' ? before - 50 : before);
    if (deliveries === undefined) return;
    const rows = (await delivered(msisdn)).filter((row) => row.status === 'completed');
    expect(rows).toHaveLength(deliveries);
  });

  it('x014: it stays submitted: the hold stays until the provider has said', async () => {
    const msisdn = number('014');
    const { client } = await newSeller();
    const before = await wallet(client);
    const body = { amount: 50, msisdn, ...sale };
    const answer = await client.post('/topup-transactions/airtime-topup', body);
    expect(answer.body).toMatchObject({ success: true, statusCode: 200 });
    expect(answer.body.data.status).toBeUndefined();
    const transactionId = transactionIdOf(answer);
    await until(async () => expect((await show(transactionId, client)).status).toBe('UNKNOWN'));
    const { attempts } = await show(transactionId, client);
    expect(await wallet(client)).toBe(before - 50);
    expect((await retry({ transactionId }, client)).body.statusCode).toBe(409);

    await call(`${stack.sandbox.url}/books/topups/${attempts[0].ourReference}`, {
      body: { status: 'completed' },
    });
    await until(async () => expect((await show(transactionId, client)).status).toBe('SUCCESS'));
    expect(await delivered(msisdn)).toHaveLength(1);
    expect(await wallet(client)).toBe(before - 50);
  });
});

describe('retry', () => {
  it('to another number delivers once and charges once', async () => {
    const before = await wallet();
    const failed = await topup(number('006'));
    const good = number('000');
    const retried = await retry({ transactionId: transactionIdOf(failed), msisdn: good });
    expect(retried.body).toMatchObject({ statusCode: 200, data: { status: 'SUCCESS' } });
    expect(await wallet()).toBe(before - 50);
    expect(await delivered(good)).toHaveLength(1);
    const shown = await show(transactionIdOf(failed));
    expect(shown.attempts).toMatchObject([{ status: 'FAILED' }, { status: 'SUCCESS' }]);
  });

  it('is refused on success, and not found for another partner', async () => {
    const done = await topup(number('000'));
    expect((await retry({ transactionId: transactionIdOf(done) })).status).toBe(409);
    const other = await partnerClient(stack, await makePartner(stack));
    const foreign = await other.post('/topup-transactions/retry-topup', {
      transactionId: transactionIdOf(done),
    });
    expect(foreign.body.statusCode).toBe(404);
    expect((await retry({ transactionId: 999_999_999 })).body.statusCode).toBe(404);
  });

  it('20 at once make one attempt', async () => {
    const failed = await topup(number('006'));
    const good = number('000');
    const body = { transactionId: transactionIdOf(failed), msisdn: good };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => asPartner.post('/topup-transactions/retry-topup', body)),
    );
    // Whoever comes after the attempt has ended is told so; a machine that is busy lets others repeat it.
    expect(answers.filter(({ status }) => ![200, 409, 503].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect((await show(transactionIdOf(failed))).attempts).toHaveLength(2);
    expect(await delivered(good)).toHaveLength(1);
  });
});

describe('packages and numbers', () => {
  it('a package costs its price and answers referenceNo', async () => {
    const before = await wallet();
    const answer = await buy(products.ethioPackage, number('000'));
    expect(answer.body.data).toMatchObject({ status: 'SUCCESS' });
    expect(answer.body.data.referenceNo).toBe(answer.body.data.referenceNumber);
    expect(await wallet()).toBe(before - 15);
  });

  it.each([
    ['a package of the other operator', () => buy(products.ethioPackage, number('000', '7')), 400],
    ['less than the minimum', () => topup(number('000'), { amount: '4.99' }), 400],
    ['more than the maximum', () => topup(number('000'), { amount: '10000.01' }), 400],
    ['a number of another country', () => topup('+12025550123'), 400],
    ['no amount', () => topup(number('000'), { amount: 0 }), 400],
    ['no currency', () => topup(number('000'), { currency: undefined }), 400],
  ])('%s is refused before anything is held', async (_what, request, statusCode) => {
    const before = await wallet();
    const answer = await request();
    expect(answer.body).toMatchObject({ success: false, statusCode });
    expect(await wallet()).toBe(before);
    const open = await stack.database
      .selectFrom('topups')
      .select('id')
      .where('status', '=', 'PENDING')
      .execute();
    expect(open).toEqual([]);
  });
});

describe('the list', () => {
  it('is filtered by status, kind, time and reference', async () => {
    const done = await topup(number('000'));
    const { referenceNumber } = done.body.data;
    const list = async (query: string) =>
      (await asPartner.get(`/topup-transactions?${query}`)).body;
    expect((await list(`reference=${encodeURIComponent(referenceNumber)}`)).data).toMatchObject([
      { transactionId: transactionIdOf(done), status: 'SUCCESS' },
    ]);
    const failed = await list('status=FAILED&limit=100');
    expect(failed.data.every((row: { status: string }) => row.status === 'FAILED')).toBe(true);
    expect((await list('kind=PACKAGE')).meta.totalItems).toBe(1);
    expect((await list('from=2100-01-01T00:00:00Z')).data).toEqual([]);
    expect((await list('status=NONE')).statusCode).toBe(400);
  });
});
