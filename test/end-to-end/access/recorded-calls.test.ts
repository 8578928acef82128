import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomApiKey } from '../../../src/crypto/random.ts';
import { listCalls, listRefusedCalls, type ShownCall } from '../../../src/db/access/calls.ts';
import { endApiKey, listApiKeys, revokeApiKey } from '../../../src/db/access/company-access.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { call, merchantClient, partnerClient } from '../../support/clients.ts';
import { makeKey, makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { hideTable } from '../../support/database-faults.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** What a company and an operator are shown of calls, off the way of the calls themselves. */
let stack: Stack;
let partner: TestPartner;
let company: Company;
const BASE = '/api/v1/client';

beforeAll(async () => {
  stack = await startStack();
  partner = await makePartner(stack);
  company = { kind: 'partner', id: partner.id };
});
afterAll(() => stack?.stop());

const login = (key: string) => call(`${stack.url}${BASE}/auth/login`, { body: { key } });

/** The newest call of a company as soon as it is this one. */
const newest = (of: Company, expected: Partial<ShownCall>) =>
  until(async () => {
    const [first] = await listCalls(stack.database, of, 1);
    expect(first).toMatchObject(expected);
    return first;
  });

describe('a company sees', () => {
  test('its log-in and its calls, with what they were answered', async () => {
    const client = await partnerClient(stack, partner);
    await newest(company, { admitted: true, route: `${BASE}/auth/login`, statusCode: 200 });
    const { headers } = await client.get('/topup-transactions/4711');
    await newest(company, {
      admitted: true,
      method: 'GET',
      route: `${BASE}/topup-transactions/:transactionId`,
      statusCode: 404,
      sourceAddress: '127.0.0.1',
      keyPrefix: partner.apiKey.slice(0, 13),
      requestId: headers.get('x-request-id') ?? '',
    });
    const [key] = await listApiKeys(stack.database, company);
    expect(key?.lastUsedAddress).toBe('127.0.0.1');
    expect(key?.lastUsedAt).toBeInstanceOf(Date);
  });

  test('calls that ended in an error, its own or ours', async () => {
    const client = await partnerClient(stack, partner);
    const path = '/topup-transactions/airtime-topup';
    const route = BASE + path;
    expect((await client.post(path, { text: 'x'.repeat(100_000) })).status).toBe(413);
    await newest(company, { admitted: true, route, statusCode: 413 });
    const mend = await hideTable(stack.database, 'gift_denominations');
    expect((await client.get('/gift-denominations')).status).toBe(500);
    await mend();
    const failed = { admitted: true, route: `${BASE}/gift-denominations`, statusCode: 500 };
    await newest(company, failed);
    const shown = await listCalls(stack.database, company, 100);
    expect(shown.filter(({ statusCode }) => statusCode === 500)).toHaveLength(1);
  });

  test('why a key that is over does not work any more', async () => {
    const key = await makeKey(stack, company);
    const [listed] = (await listApiKeys(stack.database, company)).slice(-1);
    await stack.database
      .transaction()
      .execute((transaction) => endApiKey(transaction, listed?.id ?? 0, 0));
    expect((await login(key)).status).toBe(401);
    await newest(company, {
      admitted: false,
      reason: 'api-key-invalid',
      statusCode: null,
      keyPrefix: key.slice(0, 13),
    });
  });

  test('calls with a token whose key was revoked', async () => {
    const apiKey = await makeKey(stack, company);
    const client = await partnerClient(stack, { ...partner, apiKey });
    const [listed] = (await listApiKeys(stack.database, company)).slice(-1);
    await stack.database
      .transaction()
      .execute((transaction) => revokeApiKey(transaction, listed?.id ?? 0));
    await until(async () => expect((await client.get('/test')).status).toBe(401));
    await newest(company, { admitted: false, reason: 'token-invalid', route: `${BASE}/test` });
  });

  test('calls from addresses that are not registered', async () => {
    const other = await makePartner(stack);
    await stack.database
      .deleteFrom('source_addresses')
      .where('partner_id', '=', other.id)
      .execute();
    expect((await login(other.apiKey)).status).toBe(403);
    await newest(
      { kind: 'partner', id: other.id },
      { admitted: false, reason: 'address-not-registered' },
    );
  });

  test('signatures that do not fit', async () => {
    const merchant = await makeMerchant(stack);
    const client = await merchantClient(stack, merchant);
    const path = '/topup-transactions/initiate-claim';
    const answer = await client.postRaw(path, '{}', { 'x-signature': 'none' });
    expect(answer.status).toBe(401);
    await newest(
      { kind: 'merchant', id: merchant.id },
      { admitted: false, reason: 'signature-invalid', surface: 'merchant' },
    );
  });
});

test('an operator sees refused calls of nobody in particular, without a key that is a secret', async () => {
  const { key } = randomApiKey('test');
  await login(key);
  await login('not-a-key-but-perhaps-a-password');
  await until(async () => {
    const calls = await listRefusedCalls(stack.database, { limit: 100, reason: 'api-key-invalid' });
    expect(calls.filter((row) => row.companyId === null).map((row) => row.keyPrefix)).toEqual(
      expect.arrayContaining([key.slice(0, 13), null]),
    );
    expect(JSON.stringify(calls)).not.toContain(key.slice(12));
    expect(JSON.stringify(calls)).not.toContain('password');
  });
});

test('the path of a call, which may hold a voucher code, is nowhere kept', async () => {
  const merchant = await makeMerchant(stack);
  await call(`${stack.url}/api/v1/merchant/client/topup-transactions/CANARY-CODE`, {
    headers: { 'x-api-token': 'none' },
  });
  const client = await merchantClient(stack, merchant);
  await client.get('/topup-transactions/CANARY-CODE');
  await newest({ kind: 'merchant', id: merchant.id }, { statusCode: 4041 });
  const kept = [
    await listCalls(stack.database, { kind: 'merchant', id: merchant.id }, 100),
    await listRefusedCalls(stack.database, { limit: 100 }),
  ];
  expect(JSON.stringify(kept)).not.toContain('CANARY');
  expect(JSON.stringify(kept)).toContain('/:voucherCode');
});
