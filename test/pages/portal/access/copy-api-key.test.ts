import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '../../../support/clients.ts';
import { makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { type Account, makeAccount, type PortalClient, signedIn } from '../portal-client.ts';

const ATTEMPTS = 3;

let stack: Stack;
let partnerId: number;
let account: Account;
let client: PortalClient;

beforeAll(async () => {
  stack = await startStack({ PORTAL_SIGN_INS_PER_ACCOUNT: String(ATTEMPTS) });
});
afterAll(() => stack?.stop());

beforeEach(async () => {
  ({ id: partnerId } = await makePartner(stack));
  account = await makeAccount(stack, { kind: 'partner', id: partnerId });
  client = await signedIn(stack, account);
});

const keyIn = (html: string): string => /value="(gvs_test_[0-9A-Za-z]{30})"/.exec(html)?.[1] ?? '';

/** Makes a key as people do, and tells which row it has. */
async function makeKey(browser = client) {
  const name = `Key ${randomUUID()}`;
  const { html } = await browser.submit('/portal/access', '/portal/keys', { name });
  const { id } = await stack.database
    .selectFrom('api_keys')
    .select('id')
    .where('key_name', '=', name)
    .executeTakeFirstOrThrow();
  return { id, name, key: keyIn(html) };
}

const copy = (id: number, password = account.password, browser = client) =>
  browser.submit(`/portal/keys/${id}/copy`, `/portal/keys/${id}/copy`, { password });

const ciphertextOf = async (id: number) =>
  (
    await stack.database
      .selectFrom('api_keys')
      .select('key_ciphertext')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).key_ciphertext;

const auditOf = async (action: string) =>
  (
    await stack.database
      .selectFrom('audit_log')
      .select(['actor', 'details'])
      .where('subject_id', '=', partnerId)
      .where('action', '=', action)
      .execute()
  ).map(({ actor, details }) => ({ actor, details }));

describe('an existing key', () => {
  test('can be copied with the password, again and again, which is audited', async () => {
    const { id, name, key } = await makeKey();
    for (const _time of [1, 2]) {
      const answer = await copy(id);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(keyIn(answer.html)).toBe(key);
    }
    const login = await call(`${stack.url}/api/v1/client/auth/login`, { body: { key } });
    expect(login.status).toBe(200);
    const entry = {
      actor: `portal:${account.email}`,
      details: { keyId: id, name, prefix: key.slice(0, 13), sourceAddress: '127.0.0.1' },
    };
    expect(await auditOf('copy api-key')).toEqual([entry, entry]);
    expect((await client.get('/portal/activity')).html).toContain('Copied the API key');
  });

  test('is kept encrypted, and under a key that voucher codes are not', async () => {
    const { id, key } = await makeKey();
    const ciphertext = (await ciphertextOf(id)) ?? '';
    expect(ciphertext).toMatch(/^copy-1\./);
    const { rows } = await sql<{ text: string }>`
      select row_to_json(k)::text as text from api_keys k
      union all select row_to_json(l)::text from audit_log l`.execute(stack.database);
    expect(rows.map(({ text }) => text).join()).not.toContain(key);
    const { digest } = { digest: stack.digests.apiKey(key).toString('hex') };
    expect(() => stack.api.services.secretBox.open(ciphertext, `api-key ${digest}`)).toThrow();
  });

  test('whose ciphertext was moved to another row is not shown', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    await stack.database
      .updateTable('api_keys')
      .set({ key_ciphertext: await ciphertextOf(one.id) })
      .where('id', '=', other.id)
      .execute();
    const answer = await copy(other.id);
    expect(answer.status).toBe(404);
    expect(answer.html).toContain('The key cannot be copied');
    expect(keyIn(answer.html)).toBe('');
    expect(await auditOf('copy api-key')).toEqual([]);
  });

  test('from before keys were kept is named on the page, and cannot be copied', async () => {
    const { rows } = await sql<{ id: number }>`select id from api_keys
      where partner_id = ${partnerId}`.execute(stack.database);
    const id = rows[0]?.id ?? 0;
    const { html } = await client.get('/portal/access');
    expect(html).toContain('“test” cannot be copied');
    expect(html).not.toContain(`/portal/keys/${id}/copy`);
    expect((await client.get(`/portal/keys/${id}/copy`)).status).toBe(404);
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const forced = await client.post(`/portal/keys/${id}/copy`, {
      token,
      password: account.password,
    });
    expect(forced.status).toBe(404);
  });

  test('of another company is not there', async () => {
    const { id } = await makeKey();
    const other = await makePartner(stack);
    const stranger = await makeAccount(stack, { kind: 'partner', id: other.id });
    const browser = await signedIn(stack, stranger);
    expect((await browser.get(`/portal/keys/${id}/copy`)).status).toBe(404);
    const { html } = await browser.get('/portal/access');
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const forced = await browser.post(`/portal/keys/${id}/copy`, {
      token,
      password: stranger.password,
    });
    expect(forced.status).toBe(404);
    expect(keyIn(forced.html)).toBe('');
  });
});

describe('the password', () => {
  test.each(['', 'not the password', 'x'.repeat(5_000)])('"%s" is refused', async (password) => {
    const { id } = await makeKey();
    const answer = await copy(id, password);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('This is not your current password.');
    expect(keyIn(answer.html)).toBe('');
    expect(await auditOf('copy api-key')).toEqual([]);
  });

  test('is counted: after too many the right one has to wait, in changing it, too', async () => {
    const { id } = await makeKey();
    for (let tried = 0; tried < ATTEMPTS; tried += 1)
      expect((await copy(id, 'a guess')).status).toBe(422);
    const answer = await copy(id);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(keyIn(answer.html)).toBe('');
    const change = await client.submit('/portal/account', '/portal/account/password', {
      password: account.password,
      'new-password': `another ${randomUUID()}`,
    });
    expect(change.status).toBe(429);
  });
});

describe('the ciphertext is erased', () => {
  test('when the key is revoked', async () => {
    const { id } = await makeKey();
    await client.submit(`/portal/keys/${id}/revoke`, `/portal/keys/${id}/revoke`);
    expect(await ciphertextOf(id)).toBeNull();
    expect((await client.get(`/portal/keys/${id}/copy`)).status).toBe(404);
  });

  test('when the key is replaced, though it works for a while; its successor is kept', async () => {
    const { id, name } = await makeKey();
    const path = `/portal/keys/${id}/rotate`;
    const { html } = await client.submit(path, path, { overlap: '24' });
    expect(await ciphertextOf(id)).toBeNull();
    const successor = await stack.database
      .selectFrom('api_keys')
      .select('id')
      .where('key_name', '=', name)
      .where('id', '<>', id)
      .executeTakeFirstOrThrow();
    expect(keyIn((await copy(successor.id)).html)).toBe(keyIn(html));
  });

  test('however a row is ended, also by a process that does not know of it', async () => {
    const { id } = await makeKey();
    await sql`update api_keys set expires_at = now() + interval '1 day' where id = ${id}`.execute(
      stack.database,
    );
    expect(await ciphertextOf(id)).toBeNull();
    await sql`update api_keys set key_ciphertext = 'copy-1.x' where id = ${id}`.execute(
      stack.database,
    );
    expect(await ciphertextOf(id)).toBeNull();
  });
});

describe('a service that keeps no keys', () => {
  let other: Stack;

  beforeAll(async () => {
    other = await startStack({ COPY_KEYS: 'off' });
  });
  afterAll(() => other?.stop());

  test('shows each once, and says so', async () => {
    const { id } = await makePartner(other);
    const person = await makeAccount(other, { kind: 'partner', id });
    const browser = await signedIn(other, person);
    const made = await browser.submit('/portal/access', '/portal/keys', { name: 'Once' });
    expect(made.html).toContain('it is shown only once');
    const { html } = await browser.get('/portal/access');
    expect(html).toContain('Each key is shown once');
    expect(html).not.toContain('/copy"');
    const rows = await other.database.selectFrom('api_keys').selectAll().execute();
    expect(rows.every(({ key_ciphertext }) => key_ciphertext === null)).toBe(true);
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    for (const { id: keyId } of rows) {
      expect((await browser.get(`/portal/keys/${keyId}/copy`)).status).toBe(404);
      const forced = await browser.post(`/portal/keys/${keyId}/copy`, {
        token,
        password: person.password,
      });
      expect(forced.status).toBe(404);
    }
  });
});
