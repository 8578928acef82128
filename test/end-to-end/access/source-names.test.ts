import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSourceAddresses } from '../../../src/db/catalogue/companies.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { call } from '../../support/clients.ts';
import { makePartner, type TestPartner } from '../../support/companies.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { restarted } from '../../support/restarted.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

let dns: DnsServer;
const stacks: Stack[] = [];
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(async () => {
  for (const stack of stacks) await stack.stop();
  await dns?.stop();
});

async function begin(environment: string, timeout = '0.3'): Promise<[Stack, TestPartner]> {
  const stack = await startStack({
    ENVIRONMENT: environment,
    DNS_SERVERS: dns.address,
    DNS_TIMEOUT_SECONDS: timeout,
    DNS_MINIMUM_SECONDS: '0.05',
  });
  stacks.push(stack);
  const partner = await makePartner(stack);
  const company: Company = { kind: 'partner', id: partner.id };
  const { database } = stack;
  await database.deleteFrom('source_addresses').where('partner_id', '=', partner.id).execute();
  await addSourceAddresses(database, company, ['till.shop.example']);
  return [stack, partner];
}

const login = (stack: Stack, { apiKey }: TestPartner) =>
  call(`${stack.url}/api/v1/client/auth/login`, { body: { key: apiKey } });

test('a company calls from wherever its name leads, and is told to wait for the first answer', async () => {
  dns.replies.set('till.shop.example', 'silence');
  const [stack, partner] = await begin('test');
  const refused = await login(stack, partner);
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain('try again in a moment');
  expect(refused.headers.get('Retry-After')).toBe('1');
  const becomes = (status: number) =>
    until(async () => expect((await login(stack, partner)).status).toBe(status));
  dns.replies.set('till.shop.example', { addresses: ['127.0.0.1'], ttl: 0 });
  await becomes(200);
  dns.replies.set('till.shop.example', { addresses: ['203.0.114.7'], ttl: 0 });
  await becomes(403);
  expect((await login(stack, partner)).body.message).not.toContain('moment');
});

test('a restart refuses no company whose name is registered', async () => {
  dns.replies.set('till.shop.example', { addresses: ['127.0.0.1'], delayMs: 1_000 });
  const [stack, partner] = await begin('test', '4');
  const anew = await restarted(stack);
  stacks.splice(stacks.indexOf(stack), 1, anew);
  expect((await login(anew, partner)).status).toBe(200);
});

test('in production a name that leads to this machine opens nothing', async () => {
  dns.questions.length = 0;
  dns.replies.set('till.shop.example', { addresses: ['127.0.0.1', '::1'], ttl: 0 });
  const [stack, partner] = await begin('production');
  await until(async () => {
    const { status, body } = await login(stack, partner);
    expect(status).toBe(403);
    expect(body.message).not.toContain('moment');
  });
  expect(dns.questions.length).toBeGreaterThan(0);
});
