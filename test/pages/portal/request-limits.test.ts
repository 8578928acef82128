import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeAccount, portalClient } from './portal-client.ts';

const PER_ADDRESS = 8;
const PER_COMPANY = 10;
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    CALLS_PER_ADDRESS_AND_MINUTE: String(PER_ADDRESS),
    CALLS_PER_COMPANY_AND_MINUTE: String(PER_COMPANY),
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => stack?.stop());

const from = (address: string) => portalClient(stack, { 'X-Forwarded-For': address });

test('an address has so many pages and no more, which a page says', async () => {
  const client = from('203.0.113.1');
  for (let page = 0; page < PER_ADDRESS; page += 1)
    expect((await client.get('/portal/sign-in')).status).toBe(200);
  for (const answer of [await client.get('/portal'), await client.post('/portal/sign-in', {})]) {
    expect(answer.status).toBe(429);
    expect(answer.html).toContain('<h1>Too many requests</h1>');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await from('203.0.113.2').get('/portal/sign-in')).status).toBe(200);
});

test('a company has so many, from wherever they come', async () => {
  const { id } = await makePartner(stack);
  const client = from('203.0.113.3');
  expect((await client.signIn(await makeAccount(stack, { kind: 'partner', id }))).status).toBe(303);
  const statuses: number[] = [];
  for (let page = 0; page <= PER_COMPANY; page += 1) {
    const headers = { 'X-Forwarded-For': `203.0.113.${10 + page}` };
    statuses.push((await client.request('/portal', { headers })).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(PER_COMPANY);
  expect(statuses.at(-1)).toBe(429);
});
