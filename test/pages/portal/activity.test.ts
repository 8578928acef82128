import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRefusedCalls } from '../../../src/db/access/calls.ts';
import { listApiKeys } from '../../../src/db/access/company-access.ts';
import { call, merchantClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import {
  hiddenFields,
  makeAccount,
  type PortalClient,
  portalClient,
  signedIn,
} from './portal-client.ts';

/** Where integrators reach the sandbox. */
const SANDBOX_URL = 'https://sandbox.example.test';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ TRUSTED_PROXIES: '127.0.0.0/8', SANDBOX_URL });
});
afterAll(() => stack?.stop());

async function partner() {
  const { id, apiKey } = await makePartner(stack);
  const client = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
  return { id, apiKey, client };
}

const logIn = (key: string, from = '127.0.0.1') =>
  call(`${stack.url}/api/v1/client/auth/login`, {
    body: { key },
    headers: { 'X-Forwarded-For': from },
  });

/** Waits until a page has a text: calls are written some time after their answer. */
const waitForText = (client: PortalClient, path: string, text: string) =>
  until(async () => {
    const { html } = await client.get(path);
    expect(html).toContain(text);
    return html;
  });

describe('try it says of the last calls', () => {
  test('that they were let in, and what they were answered', async () => {
    const { apiKey, client } = await partner();
    const { body } = await logIn(apiKey);
    const headers = { 'x-api-token': body.accessToken };
    await call(`${stack.url}/api/v1/client/topup-transactions/999999`, { headers });
    const html = await waitForText(client, '/portal/try-it', 'answered 404');
    expect(html).toContain('<span class="badge warning">answered 404</span>');
    expect(html).toContain('<span class="badge success">answered 200</span>');
    expect(html).toContain('GET /topup-transactions/:transactionId');
    expect(html).toContain('Let in');
    expect(html).not.toContain(body.accessToken);
    expect(html).not.toContain(apiKey);
  });

  test('which fields were wrong, and nothing that was sent', async () => {
    const { apiKey, client } = await partner();
    const { body } = await logIn(apiKey);
    await call(`${stack.url}/api/v1/client/topup-transactions/airtime-topup`, {
      body: { msisdn: 'secret-number', amount: 'secret-amount' },
      headers: { 'x-api-token': body.accessToken },
    });
    const html = await waitForText(client, '/portal/try-it', 'amount: ');
    expect(html).toContain('<span class="badge warning">answered 400</span>');
    expect(html).not.toMatch(/secret-(number|amount)/);
  });

  test('from where a refused call came, which is registered after a question alone', async () => {
    const { apiKey, client } = await partner();
    expect((await logIn(apiKey, '203.0.113.50')).status).toBe(403);
    const html = await waitForText(client, '/portal/try-it', 'Is 203.0.113.50 your server?');
    expect(html).toContain('If that is not your server, your key was leaked');
    expect(html).not.toContain('name="address"');
    const question = '/portal/addresses/register?address=203.0.113.50';
    expect(html).toContain(`href="${question}"`);
    expect((await client.get(question)).html).toContain('your key was leaked');
    expect((await logIn(apiKey, '203.0.113.50')).status).toBe(403);
    await client.submit(question, '/portal/addresses');
    expect((await client.get('/portal/try-it')).html).not.toContain('Is 203.0.113.50');
    await until(async () => expect((await logIn(apiKey, '203.0.113.50')).status).toBe(200));
  });

  test('nothing of an address that no call was refused from, whatever a link says', async () => {
    const { apiKey, client } = await partner();
    const other = await partner();
    expect((await logIn(other.apiKey, '203.0.113.51')).status).toBe(403);
    await waitForText(other.client, '/portal/try-it', 'Is 203.0.113.51 your server?');
    expect((await logIn(apiKey)).status).toBe(200);
    await waitForText(client, '/portal/try-it', 'Let in');
    for (const address of ['203.0.113.51', '198.51.100.66', '127.0.0.1', '203.0.113.0/24']) {
      const question = `/portal/addresses/register?address=${encodeURIComponent(address)}`;
      const answer = await client.get(question);
      expect(answer.status).toBe(404);
      expect(answer.html).not.toContain(address);
    }
  });

  test('that a key is wrong, if the call came from where the person is', async () => {
    const { client } = await partner();
    await logIn(`gvs_test_0${'Z'.repeat(29)}`);
    await waitForText(client, '/portal/try-it', 'The key is not valid');
    await logIn(`gvs_test_0${'Y'.repeat(29)}`, '198.51.100.9');
    await logIn(`gvs_test_0${'X'.repeat(29)}`);
    const html = await waitForText(client, '/portal/try-it', 'gvs_test_0XXX…');
    expect(html).not.toContain('198.51.100.9');
    expect(html).toContain('From your address, by an unknown key');
    expect(html).toContain('No call yet');
  });

  test('nothing of older calls by unknown keys, and none of the other API', async () => {
    const { id } = await partner();
    const account = await makeAccount(stack, { kind: 'partner', id });
    const client = portalClient(stack, { 'X-Forwarded-For': '203.0.113.70' });
    await client.signIn(account);
    const add = (keyPrefix: string, minutes: number, surface = 'partner') =>
      addRefusedCalls(stack.database, [
        {
          at: new Date(Date.now() - minutes * 60_000),
          surface,
          method: 'POST',
          route: '/api/v1/client/auth/login',
          sourceAddress: '203.0.113.70',
          apiKeyId: null,
          requestId: 'one',
          company: null,
          reason: 'api-key-invalid',
          keyPrefix,
          leftOut: 0,
        },
      ]);
    await add('gvs_test_old', 16);
    expect((await client.get('/portal/try-it')).html).not.toContain('by an unknown key');
    await add('gvs_test_new', 14);
    // So many of the other API would have taken the place of the one, were they left out later.
    for (let count = 0; count < 12; count += 1) await add('gvs_test_other', 1, 'merchant');
    const { html } = await client.get('/portal/try-it');
    expect(html).toContain('gvs_test_new…');
    expect(html).not.toMatch(/gvs_test_(old|other)/);
  });

  test('that a token is no good, and that a signature does not fit', async () => {
    const merchant = await makeMerchant(stack);
    const account = await makeAccount(stack, { kind: 'merchant', id: merchant.id });
    const client = await signedIn(stack, account);
    const base = `${stack.url}/api/v1/merchant/client`;
    const { body } = await call(`${base}/auth/login`, { body: { key: merchant.apiKey } });
    await call(`${base}/test`, { method: 'POST', headers: { 'x-api-token': 'expired' } });
    await call(`${base}/topup-transactions/initiate-claim`, {
      body: { voucherCode: 'x', idempotencyKey: 'x' },
      headers: { 'x-api-token': body.accessToken, 'x-signature': 'MEUCIQ\\n1' },
    });
    await waitForText(client, '/portal/try-it', 'The signature in x-signature must be DER');
    const html = await waitForText(client, '/portal/try-it', 'The guide explains each mistake');
    expect(html).toContain('The token is missing, older than 300 seconds');
    expect((await client.get('/portal/activity')).html).toContain(
      'The signature in x-signature must be DER',
    );
    expect(html).toContain('A signed call');
  });

  test('nothing of another company', async () => {
    const [mine, other] = [await partner(), await partner()];
    await logIn(other.apiKey, '203.0.113.51');
    await waitForText(other.client, '/portal/try-it', '203.0.113.51');
    for (const path of ['/portal/try-it', '/portal/activity'])
      expect((await mine.client.get(path)).html).not.toContain('203.0.113.51');
  });
});

describe('activity shows', () => {
  test('who changed what, without the names of operators', async () => {
    const { id, client } = await partner();
    await client.submit('/portal/access', '/portal/keys', { name: '<b>Shop</b>' });
    await client.submit('/portal/access', '/portal/addresses', { address: '203.0.113.60' });
    await stack.database
      .insertInto('audit_log')
      .values(
        ['suspend partner', 'deposit'].map((action) => ({
          actor: 'secret-operator',
          action,
          subject_kind: 'partner',
          subject_id: id,
          details: JSON.stringify({ reference: 'secret-reference' }),
        })),
      )
      .execute();
    const { html } = await client.get('/portal/activity');
    expect(html).toContain('&lt;b&gt;Shop&lt;/b&gt;');
    expect(html).not.toContain('<b>Shop');
    expect(html).toContain('Registered the address <code>203.0.113.60</code>');
    expect(html).toContain('An operator');
    expect(html).toContain('<div>Signed in</div>');
    expect(html).toContain('Suspended the company');
    expect(html).not.toMatch(/secret-operator|secret-reference|deposit/);
  });

  test('sign-ins that follow each other in one line', async () => {
    const { id } = await makePartner(stack);
    const account = await makeAccount(stack, { kind: 'partner', id });
    await signedIn(stack, account);
    await signedIn(stack, account);
    const client = await signedIn(stack, account);
    const { html } = await client.get('/portal/activity');
    expect(html).toContain('Signed in, 3 times');
    expect(html.match(/Signed in,/g)).toHaveLength(1);
  });

  test('failed sign-ins, with what was wrong and from where', async () => {
    const { id, client } = await partner();
    const account = await makeAccount(stack, { kind: 'partner', id });
    const stranger = portalClient(stack, { 'X-Forwarded-For': '203.0.113.62' });
    for (const password of ['not it', 'nor this'])
      expect((await stranger.signIn({ ...account, password })).status).toBe(403);
    const html = await waitForText(client, '/portal/activity', 'Did not sign in: wrong password');
    expect(html).toContain(account.email);
    expect(html).toContain('203.0.113.62');
    await stack.database
      .updateTable('portal_accounts')
      .set({ disabled_at: new Date() })
      .where('email', '=', account.email)
      .execute();
    expect((await stranger.signIn(account)).status).toBe(403);
    await waitForText(client, '/portal/activity', 'Did not sign in: disabled account');
    const { html: file } = await client.get('/portal/activity/changes');
    expect(file).toContain('Did not sign in:","wrong password","203.0.113.62"');
  });

  const changes: readonly (readonly [
    action: string,
    path: (ids: { readonly key: number; readonly person: number }) => string,
    fields: Record<string, string>,
  ])[] = [
    ['set portal-role', ({ person }) => `people/${person}/role`, { role: 'finance' }],
    ['set key-scopes', ({ key }) => `keys/${key}/scopes`, { 'scope-read': 'on' }],
    ['set key-limits', ({ key }) => `keys/${key}/limits`, { amount: '1500.5', operations: '' }],
    ['set low-balance', () => 'balances/gift/low-balance', { threshold: '1,000' }],
  ];

  test.each(changes)('%s once, however often its form is sent', async (action, at, fields) => {
    const { id, client } = await partner();
    const company = { kind: 'partner', id } as const;
    const person = await makeAccount(stack, company, { role: 'viewer' });
    const [key] = await listApiKeys(stack.database, company);
    const ids = { key: key?.id ?? expect.unreachable(), person: person.id };
    const path = `/portal/${at(ids)}`;
    const { token = '' } = hiddenFields((await client.get(path)).html, path);
    for (let count = 0; count < 2; count += 1)
      expect((await client.post(path, { token, ...fields })).status).toBe(303);
    const entries = await stack.database
      .selectFrom('audit_log')
      .select('id')
      .where('action', '=', action)
      .where('subject_id', '=', id)
      .execute();
    expect(entries).toHaveLength(1);
  });

  test('calls that were refused', async () => {
    const { apiKey, client } = await partner();
    await logIn(apiKey, '203.0.113.61');
    await waitForText(client, '/portal/activity', '203.0.113.61');
  });
});

test('the first page leads through the first steps, until all are done', async () => {
  const { id, apiKey, client } = await partner();
  await stack.database.deleteFrom('source_addresses').where('partner_id', '=', id).execute();
  const before = await client.get('/portal');
  expect(before.html).toContain('<h2>Getting started');
  expect(before.html.match(/>Done</g)).toHaveLength(1);
  expect(before.html).toContain(`href="${SANDBOX_URL}/phone"`);
  await client.submit('/portal/access', '/portal/addresses', { address: '127.0.0.1' });
  await until(async () => expect((await logIn(apiKey)).status).toBe(200));
  await until(async () =>
    expect((await client.get('/portal')).html).not.toContain('<h2>Getting started'),
  );
});

test('the first steps do not come back while all that is done stays', async () => {
  const { id, apiKey, client } = await partner();
  expect((await client.get('/portal')).html).toContain('<h2>Getting started');
  expect((await logIn(apiKey)).status).toBe(200);
  await waitForText(client, '/portal/try-it', 'Let in');
  expect((await client.get('/portal')).html).not.toContain('<h2>Getting started');
  expect((await logIn(apiKey, '203.0.113.71')).status).toBe(403);
  await waitForText(client, '/portal/try-it', 'Is 203.0.113.71 your server?');
  expect((await client.get('/portal')).html).not.toContain('<h2>Getting started');
  await stack.database
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('partner_id', '=', id)
    .execute();
  expect((await client.get('/portal')).html).toContain('<h2>Getting started');
});

test('a merchant has done the last step with a signed call, also if others follow', async () => {
  const merchant = await makeMerchant(stack);
  const account = await makeAccount(stack, { kind: 'merchant', id: merchant.id });
  const client = await signedIn(stack, account);
  const api = await merchantClient(stack, merchant);
  await waitForText(client, '/portal/try-it', 'Let in');
  expect((await client.get('/portal')).html).toContain('Make the first signed call');
  await api.post('/topup-transactions/initiate-claim', { voucherCode: 'none' });
  const signedCalls = () =>
    stack.database
      .selectFrom('admitted_calls')
      .select('route')
      .where('company_kind', '=', 'merchant')
      .where('company_id', '=', merchant.id)
      .where('route', 'like', '%initiate-claim')
      .execute();
  await until(async () => expect(await signedCalls()).toHaveLength(1));
  await until(async () => {
    await call(`${api.base}/test`, { method: 'POST', headers: { 'x-api-token': api.token } });
    expect(await signedCalls()).toEqual([]);
  });
  expect((await client.get('/portal')).html).not.toContain('<h2>Getting started');
});

test('a name of a company that looks like HTML stays text', async () => {
  const { id } = await makeMerchant(stack, { merchant_name: '"><img src=x onerror=alert(1)>' });
  const client = await signedIn(stack, await makeAccount(stack, { kind: 'merchant', id }));
  for (const path of ['/portal', '/portal/access', '/portal/keys/0/revoke']) {
    const { html } = await client.get(path);
    expect(html).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('<img src=x');
  }
  expect((await portalClient(stack).get('/portal/sign-in?next="><script>')).html).not.toContain(
    '"><script>',
  );
});

test('changes, calls and people are files, of the own company only, and no formulas', async () => {
  const { id, apiKey, client } = await partner();
  const { client: stranger } = await partner();
  await logIn(apiKey);
  expect((await logIn(apiKey, '203.0.113.60')).status).toBe(403);
  await waitForText(client, '/portal/activity', '203.0.113.60');
  await client.submit('/portal/access', '/portal/keys', { name: '=1+1' });
  const rows = async (path: string, of = client) => {
    const answer = await of.get(path);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines: Record<string, string>[] = parse(answer.html, { bom: true, columns: true });
    return lines;
  };
  const calls = await rows('/portal/activity/calls');
  const keyPrefix = apiKey.slice(0, 13);
  expect(calls).toMatchObject([
    {
      Call: 'POST /auth/login',
      Outcome: 'Refused',
      'Reason of the refusal': 'address-not-registered',
      From: '203.0.113.60',
    },
    { Outcome: 'Let in', 'Status code': '200', From: '127.0.0.1' },
  ]);
  expect(calls.every(({ Key = '' }) => Key !== '' && keyPrefix.startsWith(Key.slice(0, 13)))).toBe(
    true,
  );
  const [made, signIn] = await rows('/portal/activity/changes');
  expect(made).toMatchObject({ What: 'Created the API key', From: '127.0.0.1' });
  expect(made?.Subject).toMatch(/^'=1\+1 \(gvs_test_/);
  expect(signIn).toMatchObject({ What: 'Signed in', Subject: '' });
  expect(JSON.stringify([calls, made])).not.toContain(apiKey);
  expect(await rows('/portal/activity/calls', stranger)).toEqual([]);

  const email = `=${randomUUID()}@portal.example`;
  await makeAccount(stack, { kind: 'partner', id }, { role: 'viewer', email });
  const people = await rows('/portal/people/download');
  expect(people.map((person) => [person.Role, person['Second factor']])).toEqual(
    expect.arrayContaining([
      ['owner', 'Off'],
      ['viewer', 'Off'],
    ]),
  );
  expect(people.find(({ Role }) => Role === 'viewer')).toMatchObject({
    'E-mail address': `'${email}`,
    'Last signed in': '',
  });
  expect(await rows('/portal/people/download', stranger)).toHaveLength(1);
});
