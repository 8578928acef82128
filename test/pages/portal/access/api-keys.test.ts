import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../../support/clients.ts';
import { makeMerchant, makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { makeAccount, type PortalClient, signedIn } from '../portal-client.ts';

interface Partner {
  readonly id: number;
  readonly apiKey: string;
  /** A browser of one of its people. */
  readonly client: PortalClient;
}

let stack: Stack;
/** A partner whose forms are refused, so that it stays as it is. */
let refused: Partner;

beforeAll(async () => {
  stack = await startStack();
  refused = await partner();
});
afterAll(() => stack?.stop());

/** A partner of a test's own. */
async function partner(): Promise<Partner> {
  const { id, apiKey } = await makePartner(stack);
  return {
    id,
    apiKey,
    client: await signedIn(stack, await makeAccount(stack, { kind: 'partner', id })),
  };
}

const keyIn = (html: string): string => /value="(gvs_test_[0-9A-Za-z]{30})"/.exec(html)?.[1] ?? '';

const logIn = async (key: string): Promise<number> =>
  (await call(`${stack.url}/api/v1/client/auth/login`, { body: { key } })).status;

const makeKey = async (client: PortalClient, name: string) =>
  client.submit('/portal/access', '/portal/keys', { name });

const idOf = async (company: number, name: string): Promise<number> => {
  const { id } = await stack.database
    .selectFrom('api_keys')
    .select('id')
    .where('partner_id', '=', company)
    .where('key_name', '=', name)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  return id;
};

describe('a new key', () => {
  test('is shown, works at once, and is stored nowhere in clear', async () => {
    const { client } = await partner();
    const made = await makeKey(client, 'Web shop');
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const key = keyIn(made.html);
    expect(await logIn(key)).toBe(200);
    const list = await client.get('/portal/access');
    expect(list.html).toContain('Web shop');
    expect(list.html).toContain(`${key.slice(0, 13)}…`);
    expect(list.html).not.toContain(key);
    const { rows } = await sql<{ text: string }>`
      select row_to_json(k)::text as text from api_keys k
      union all select row_to_json(l)::text from audit_log l
      union all select row_to_json(s)::text from portal_sessions s`.execute(stack.database);
    expect(rows.map(({ text }) => text).join()).not.toContain(key);
  });

  test.each([
    ['no name', '   '],
    ['a name that is too long', 'x'.repeat(61)],
    ['control characters', 'a\u0007b'],
    ['NUL', 'a\u0000b'],
    ['characters that turn the line around', 'a\u202eb'],
  ])('is not made with %s', async (_name, name) => {
    const answer = await makeKey(refused.client, name);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('aria-invalid');
    expect(keyIn(answer.html)).toBe('');
  });

  test('is not made twice by a form that is sent twice', async () => {
    const { client, id } = await partner();
    const answers = await Promise.all([makeKey(client, 'Twice'), makeKey(client, 'Twice')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const keys = await stack.database
      .selectFrom('api_keys')
      .selectAll()
      .where('partner_id', '=', id)
      .where('key_name', '=', 'Twice')
      .execute();
    expect(keys).toHaveLength(1);
  });

  test('is the eleventh that is refused', async () => {
    const { client } = await partner();
    for (let made = 1; made < 10; made += 1)
      expect((await makeKey(client, `Key ${made}`)).status).toBe(200);
    const answer = await makeKey(client, 'One too many');
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('There are already 10 working keys');
  });

  test('may have a name that looks like HTML', async () => {
    const { client } = await partner();
    const name = `<script>alert("1")</script> & 'x'`;
    const made = await makeKey(client, name);
    const { html } = await client.get('/portal/access');
    for (const page of [made.html, html]) {
      expect(page).not.toContain('<script>alert');
      expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;');
    }
  });
});

describe('rotation', () => {
  const rotate = async (client: PortalClient, id: number, overlap: string) =>
    client.submit(`/portal/keys/${id}/rotate`, `/portal/keys/${id}/rotate`, { overlap });

  test('lets both keys work for as long as was chosen', async () => {
    const { client, id, apiKey } = await partner();
    const keyId = await idOf(id, 'test');
    const answer = await rotate(client, keyId, '24');
    const key = keyIn(answer.html);
    expect(await logIn(key)).toBe(200);
    expect(await logIn(apiKey)).toBe(200);
    const { html } = await client.get('/portal/access');
    expect(html).toContain('Ending');
    await stack.database
      .updateTable('api_keys')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', keyId)
      .execute();
    expect(await logIn(apiKey)).toBe(401);
    expect(await logIn(key)).toBe(200);
    expect((await client.get('/portal/access')).html).toContain('Replaced');
  });

  test('without an overlap ends the old key at once', async () => {
    const { client, id, apiKey } = await partner();
    const answer = await rotate(client, await idOf(id, 'test'), '0');
    expect(answer.html).toContain('The old key no longer works');
    await until(async () => expect(await logIn(apiKey)).toBe(401));
    expect(await logIn(keyIn(answer.html))).toBe(200);
  });

  test.each(['1000', '-1', ''])('refuses an overlap of "%s"', async (overlap) => {
    const { client, id } = refused;
    expect((await rotate(client, await idOf(id, 'test'), overlap)).status).toBe(400);
  });

  test('of a key that is ending already is refused', async () => {
    const { client, id } = await partner();
    const keyId = await idOf(id, 'test');
    const { html } = await client.get(`/portal/keys/${keyId}/rotate`);
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const post = () => client.post(`/portal/keys/${keyId}/rotate`, { token, overlap: '72' });
    const answers = await Promise.all([post(), post()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });
});

test('a key is revoked after a question, and its calls are refused', async () => {
  const { client, id, apiKey } = await partner();
  const path = `/portal/keys/${await idOf(id, 'test')}/revoke`;
  const answer = await client.submit(path, path);
  expect(answer).toMatchObject({ status: 303, location: '/portal/access' });
  const { html } = await client.get('/portal/access');
  expect(html).toContain('The key “test” is revoked.');
  expect(html).toContain('No valid key');
  expect(await logIn(apiKey)).toBe(401);
  expect((await client.get(path)).status).toBe(404);
});

test('an old key has a warning', async () => {
  const { client, id } = await partner();
  expect((await client.get('/portal/access')).html).not.toContain('90 days old');
  await stack.database
    .updateTable('api_keys')
    .set({ created_at: sql<Date>`now() - interval '90 days 1 minute'` })
    .where('partner_id', '=', id)
    .execute();
  expect((await client.get('/portal/access')).html).toContain('A key is 90 days old or older.');
});

describe('keys of another company', () => {
  test('are not there', async () => {
    const [mine, other] = [refused, await partner()];
    const foreign = await idOf(other.id, 'test');
    for (const action of ['rotate', 'revoke']) {
      const path = `/portal/keys/${foreign}/${action}`;
      expect((await mine.client.get(path)).status).toBe(404);
      const own = await mine.client.get('/portal/access');
      const token = /name="token" value="([^"]+)"/.exec(own.html)?.[1] ?? '';
      const answer = await mine.client.post(path, { token, overlap: '0' });
      expect(answer.status).toBe(404);
    }
    expect(await logIn(other.apiKey)).toBe(200);
  });

  test.each(['0', '-1', 'x', '9'.repeat(30), '%00'])('nor is there a key %s', async (id) => {
    expect((await refused.client.get(`/portal/keys/${id}/revoke`)).status).toBe(404);
  });
});

describe('the scopes of a key', () => {
  const scopesIn = async (company: number, name: string) =>
    (
      await stack.database
        .selectFrom('api_keys')
        .select('scopes')
        .where('id', '=', await idOf(company, name))
        .executeTakeFirstOrThrow()
    ).scopes;

  test('are chosen when it is made, changed later, and kept by its successor', async () => {
    const { id: company, client } = await partner();
    const page = await client.get('/portal/access');
    const token = /name="token" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    await client.post('/portal/keys', { token, name: 'Reports', 'scope-read': 'on' });
    expect(await scopesIn(company, 'Reports')).toEqual(['read']);

    const id = await idOf(company, 'Reports');
    const path = `/portal/keys/${id}/scopes`;
    expect((await client.get(path)).html).toMatch(/name="scope-read" value="on" checked>/);
    await client.submit(path, path, { 'scope-topups': 'on' });
    expect(await scopesIn(company, 'Reports')).toEqual(['read', 'topups']);
    const audited = await stack.database
      .selectFrom('audit_log')
      .select('details')
      .where('action', '=', 'set key-scopes')
      .where('subject_id', '=', company)
      .execute();
    expect(audited).toMatchObject([{ details: { before: ['read'], after: ['read', 'topups'] } }]);

    const rotate = `/portal/keys/${id}/rotate`;
    await client.submit(rotate, rotate, { overlap: '0' });
    const { scopes } = await stack.database
      .selectFrom('api_keys')
      .select('scopes')
      .where('partner_id', '=', company)
      .where('key_name', '=', 'Reports')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(scopes).toEqual(['read', 'topups']);
  });

  test('are at least one, and those of the own company', async () => {
    const { client } = refused;
    const other = await partner();
    const none = await client.post('/portal/keys', {
      token:
        /name="token" value="([^"]+)"/.exec((await client.get('/portal/access')).html)?.[1] ?? '',
      name: 'None',
    });
    expect(none.status).toBe(422);
    expect(none.html).toContain('Choose at least one.');
    const path = `/portal/keys/${await idOf(other.id, 'test')}/scopes`;
    expect((await client.get(path)).status).toBe(404);
    const token =
      /name="token" value="([^"]+)"/.exec((await client.get('/portal/access')).html)?.[1] ?? '';
    expect((await client.post(path, { token, 'scope-read': 'on' })).status).toBe(404);
    expect(await scopesIn(other.id, 'test')).toEqual(['read', 'vouchers', 'topups']);
  });
});

describe('the daily limits of a key', () => {
  test('are set and lifted', async () => {
    const { id: company, client } = await partner();
    const id = await idOf(company, 'test');
    const path = `/portal/keys/${id}/limits`;
    const limitsOf = () =>
      stack.database
        .selectFrom('api_keys')
        .select(['daily_amount', 'daily_operations'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    await client.submit(path, path, { amount: '1,500.5', operations: '20' });
    expect(await limitsOf()).toEqual({ daily_amount: '1500.500000', daily_operations: 20 });
    expect((await client.get('/portal/access')).html).toContain('1,500.50 ETB a day, 20 a day');
    await client.submit(path, path, { amount: '', operations: '' });
    expect(await limitsOf()).toEqual({ daily_amount: null, daily_operations: null });
  });

  test.each([
    ['0', ''],
    ['-1', ''],
    ['1.234', ''],
    ['x', ''],
    ['', '0'],
    ['', '1.5'],
  ])('are refused as amount "%s" and number "%s"', async (amount, operations) => {
    const { id: company, client } = refused;
    const path = `/portal/keys/${await idOf(company, 'test')}/limits`;
    expect((await client.submit(path, path, { amount, operations })).status).toBe(422);
  });

  test('of another company are not there', async () => {
    const { client } = refused;
    const other = await partner();
    const path = `/portal/keys/${await idOf(other.id, 'test')}/limits`;
    expect((await client.get(path)).status).toBe(404);
    const token =
      /name="token" value="([^"]+)"/.exec((await client.get('/portal/access')).html)?.[1] ?? '';
    expect((await client.post(path, { token, amount: '1', operations: '' })).status).toBe(404);
  });
});

const clientOf = async (kind: 'partner' | 'merchant') => {
  const { id } = await (kind === 'partner' ? makePartner(stack) : makeMerchant(stack));
  return signedIn(stack, await makeAccount(stack, { kind, id }));
};

const formsOf = (html: string) =>
  [...html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action);

describe('the page of keys and addresses', () => {
  test('manages keys, addresses and public keys of a merchant', async () => {
    const client = await clientOf('merchant');
    const { status, html } = await client.get('/portal/access');
    expect(status).toBe(200);
    for (const id of ['keys', 'addresses', 'public-keys'])
      expect(html).toContain(`<h2 id="${id}">`);
    const forms = formsOf(html);
    for (const action of ['/portal/keys', '/portal/addresses', '/portal/public-keys'])
      expect(forms).toContain(action);
    const menu = html.split('<nav id="menu"')[1]?.split('</nav>')[0] ?? '';
    expect(menu.match(/aria-current="page">Keys and addresses/g)).toHaveLength(1);
    expect(menu).not.toMatch(/>(API keys|Addresses|Public keys)</);
  });

  test('has no public keys for a partner', async () => {
    const { html } = await (await clientOf('partner')).get('/portal/access');
    expect(html).toContain('<h2 id="addresses">');
    expect(html).not.toContain('public-keys');
  });

  test('is marked in the menu on the pages below it, too', async () => {
    const client = await clientOf('partner');
    const [, id] = /keys\/(\d+)\/rotate/.exec((await client.get('/portal/access')).html) ?? [];
    const { html } = await client.get(`/portal/keys/${id}/rotate`);
    expect(html).toContain('aria-current="page">Keys and addresses');
  });
});
