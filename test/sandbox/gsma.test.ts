import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
});
afterAll(() => sandbox.close());

const request = {
  amount: '200.00',
  currency: 'ETB',
  debitParty: [{ key: 'accountid', value: '2999' }],
  creditParty: [{ key: 'msisdn', value: '+251911234567' }],
  requestDate: '2026-01-01T00:00:00Z',
};
const to = (value: string) => ({ ...request, creditParty: [{ key: 'msisdn', value }] });

async function call(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(sandbox.mobileMoneyUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('Content-Type')?.includes('json');
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}
const pay = (body: unknown, id: string = randomUUID()) =>
  call('/transactions/type/disbursement', body, { 'X-CorrelationID': id });

describe('what a payout request may not be', () => {
  const without = (field: string) => ({ ...request, [field]: undefined });
  const refusals: [name: string, body: unknown][] = [
    ['no JSON', '{"amount":'],
    ['no object', '[1]'],
    ['null', 'null'],
    ['empty', ''],
    ['deeply nested', '['.repeat(60_000)],
    ['without amount', without('amount')],
    ['amount as a number', { ...request, amount: 200 }],
    ['amount of zero', { ...request, amount: '0.00' }],
    ['amount below zero', { ...request, amount: '-1.00' }],
    ['five decimals', { ...request, amount: '1.00001' }],
    ['without currency', without('currency')],
    ['another currency', { ...request, currency: 'USD' }],
    ['without payee', without('creditParty')],
    ['payee as an object', { ...request, creditParty: {} }],
    ['no payee at all', { ...request, creditParty: [] }],
    ['a payee of null', { ...request, creditParty: [null] }],
    ['a long text', { ...request, descriptionText: 'x'.repeat(161) }],
    ['a reference that is no text', { ...request, requestingOrganisationTransactionReference: {} }],
  ];
  const refused = {
    status: 400,
    body: { errorCategory: 'validation', errorCode: 'formatError' },
  };
  it.each(refusals)('%s', async (_name, body) => {
    const id = randomUUID();
    expect(await pay(body, id)).toMatchObject(refused);
    expect((await call(`/responses/${id}`)).status).toBe(404);
  });

  it.each(['', 'not-a-uuid'])('with the correlation id %j', async (id) => {
    expect(await pay(request, id)).toMatchObject(refused);
  });

  it('of another type', async () => {
    expect((await call('/transactions/type/withdrawal', request)).status).toBe(404);
  });

  it('too long', async () => {
    expect((await pay('x'.repeat(70_000))).status).toBe(413);
    expect((await pay(request)).status).toBe(201);
  });
});

describe('a payout', () => {
  it('is found by its link, and its id is taken once', async () => {
    const id = randomUUID();
    const { status, body } = await pay(request, id);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...request,
      type: 'disbursement',
      transactionStatus: 'completed',
      requestingOrganisationTransactionReference: id,
    });
    const { link } = (await call(`/responses/${id}`)).body;
    expect(link).toBe(`${sandbox.mobileMoneyUrl}/transactions/${body.transactionReference}`);
    expect(await (await fetch(link)).json()).toEqual(body);

    expect(await pay(to('+251911000002'), id)).toMatchObject({
      status: 400,
      body: { errorCategory: 'businessRule', errorCode: 'duplicateRequest' },
    });
    expect(sandbox.books.payouts({ reference: id })).toHaveLength(1);
  });

  it('that is asynchronous has a request state, and no response while it is under way', async () => {
    const id = randomUUID();
    const { status, body } = await pay(to('+251911000014'), id);
    expect({ status, body }).toMatchObject({ status: 202, body: { status: 'pending' } });
    expect((await call(`/responses/${id}`)).status).toBe(404);
    expect((await call(`/requeststates/${body.serverCorrelationId}`)).body).toEqual(body);
    expect((await call(`/transactions/${body.objectReference}`)).body).toMatchObject({
      transactionStatus: 'pending',
    });
  });

  it.each([
    ['+251911000002', 404, 'application/json', undefined],
    ['+251911000003', 400, 'application/json', undefined],
    ['+251911000006', 401, 'application/json', undefined],
    ['+251911000007', 500, 'application/json', undefined],
    ['+251911000009', 503, 'application/json', undefined],
    ['+251911000016', 429, 'text/plain', '5'],
    ['+251911000018', 401, 'text/plain', undefined],
  ])('to %s answers %i', async (number, status, type, retryAfter) => {
    const answer = await pay(to(number));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toContain(type);
    expect(answer.headers.get('Retry-After') ?? undefined).toBe(retryAfter);
  });
});

it.each([
  '/responses/x',
  '/transactions/x',
  '/requeststates/x',
  '/transactions/%00',
  '/responses/%ff',
])('%s is not there', async (path) => {
  expect([400, 404]).toContain((await call(path)).status);
});

it('has a heartbeat', async () => {
  expect((await call('/heartbeat')).body).toEqual({ serviceStatus: 'available', delay: 0 });
});

describe('access tokens', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const grant = (authorization: string, body = 'grant_type=client_credentials') =>
    fetch(sandbox.mobileMoneyTokenUrl, {
      method: 'POST',
      headers: {
        Authorization: authorization,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body,
    });

  it.each([
    [basic('key:secret'), 'grant_type=client_credentials', 200],
    [basic('key:'), 'grant_type=client_credentials', 401],
    [basic('key'), 'grant_type=client_credentials', 401],
    ['Bearer x', 'grant_type=client_credentials', 401],
    ['', 'grant_type=client_credentials', 401],
    [basic('key:secret'), 'grant_type=password', 400],
    [basic('key:secret'), '', 400],
  ])('%j with %j: %i', async (authorization, body, status) => {
    expect((await grant(authorization, body)).status).toBe(status);
  });

  it('open the API; others do not', async () => {
    const granted = (await (await grant(basic('key:secret'))).json()) as { access_token: string };
    const beat = async (Authorization: string) =>
      (await call('/heartbeat', undefined, { Authorization })).status;
    expect(await beat(`Bearer ${granted.access_token}`)).toBe(200);
    expect(await beat('Bearer another')).toBe(401);
    expect(await beat(basic('key:secret'))).toBe(200);
    expect(await beat(basic('key'))).toBe(401);
  });
});
