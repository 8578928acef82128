import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listApiKeys, lockCompany } from '../../../src/db/access/company-access.ts';
import { messageLanguageOf } from '../../../src/db/catalogue/companies.ts';
import { type DatabaseTransaction, updateRow } from '../../../src/db/connection.ts';
import { changeAccount } from '../../../src/db/people/accounts.ts';
import { disableAccount, endPortalSessions } from '../../../src/db/people/sign-ins.ts';
import { addWebhook } from '../../../src/db/webhooks/endpoints.ts';
import { mayUse, portalRoles } from '../../../src/domain/access.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { PORTAL_PATH, type PortalPage } from '../../../src/pages/page.ts';
import { portalSite } from '../../../src/pages/portal/routes.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeAccount, type PortalClient, portalClient, signedIn } from './portal-client.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

const companies = {
  partner: async (): Promise<Company> => ({ kind: 'partner', id: (await makePartner(stack)).id }),
  merchant: async (): Promise<Company> => ({
    kind: 'merchant',
    id: (await makeMerchant(stack)).id,
  }),
};

const NOT_YOURS = 'Not for your role';

const tokenOf = async (client: PortalClient): Promise<string> =>
  /name="token" value="([^"]+)"/.exec((await client.get('/portal/account')).html)?.[1] ?? '';

const { pages, menu: navigation } = portalSite;
const accountPages = pages.filter((page): page is PortalPage => page.access === 'person');

describe.each(['partner', 'merchant'] as const)('the pages of a %s', (kind) => {
  test.each(portalRoles)('for the role %s', async (role) => {
    const company = await companies[kind]();
    const client = await signedIn(stack, await makeAccount(stack, company, { role }));
    const audit = () =>
      stack.database
        .selectFrom('audit_log')
        .select('id')
        .where('subject_id', '=', company.id)
        .execute();
    const token = await tokenOf(client);
    const before = await audit();
    for (const page of accountPages.filter((one) => (one.kind ?? kind) === kind)) {
      const path = PORTAL_PATH + page.path.replace(/:\w+/, '1');
      const isAllowed = mayUse(role, page.needs);
      // What may be posted is posted by the tests of its pages.
      if (page.method === 'POST' && isAllowed) continue;
      const answer =
        page.method === 'GET' ? await client.get(path) : await client.post(path, { token });
      const shown = `${page.method} ${path}`;
      expect([shown, answer.html.includes(NOT_YOURS)]).toEqual([shown, !isAllowed]);
      if (!isAllowed) expect([shown, answer.status]).toEqual([shown, 403]);
    }
    expect(await audit()).toEqual(before);
    const { html } = await client.get('/portal/account');
    const menu = html.split('<nav id="menu"')[1]?.split('</nav>')[0] ?? '';
    for (const { label, path } of navigation.flatMap(({ entries }) => entries)) {
      const page = accountPages.find((one) => one.method === 'GET' && one.path === path);
      const isShown = page && (page.kind ?? kind) === kind && mayUse(role, page.needs);
      expect([label, menu.includes(`>${label}</a>`)]).toEqual([label, isShown]);
    }
  });
});

test('a viewer posts nothing but what concerns the own account, and searches', () => {
  const posted = accountPages.filter(
    ({ method, needs }) => method === 'POST' && mayUse('viewer', needs),
  );
  expect(posted.map(({ path }) => path).sort()).toEqual([
    '/account/language',
    '/account/password',
    '/account/second-factor/one-time-password',
    '/account/second-factor/one-time-password/off',
    '/account/second-factor/passkeys',
    '/account/second-factor/passkeys/:id/remove',
    '/account/second-factor/recovery-codes',
    '/account/sign-out-everywhere',
    '/account/statement-by-email',
    '/account/time-zone',
    '/bulk-orders/find',
    '/redemptions/find',
    '/sign-out',
    '/top-ups/find',
    '/vouchers/find',
  ]);
});

test('a form needs no proof of the person only where it changes no access and sells nothing', () => {
  const without = accountPages.filter(
    ({ method, needs, confirmation, changesNothing }) =>
      method === 'POST' && needs !== 'own' && confirmation === 'none' && !changesNothing,
  );
  expect(without.map(({ path }) => path).sort()).toEqual([
    '/account/message-language',
    '/balances/:wallet/low-balance',
    '/bulk-orders/:id/cancel',
    '/order-in-bulk',
    '/prices/:id',
    '/public-keys',
    '/sell/airtime',
    '/sell/package',
    '/sell/voucher',
    '/vouchers/:id/cancel',
    '/vouchers/:id/resend',
    '/webhooks/:id/send-again',
  ]);
});

describe('a form that asks for a proof', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const email = 'new@shop.example';
  const quoted = { quoted: '50.000000' };
  const soldFor = {
    msisdn: '0911000050',
    exchangeRate: '57.2',
    currency: 'USD',
    originatingCountry: 'US',
  };

  /** What is sent to each of them, and what it says of it: a pattern, as its subjects are random. */
  const confirmations: Readonly<Record<string, readonly [Record<string, string>, RegExp]>> = {
    '/keys': [{ name: 'till' }, /make the key “till”/],
    '/keys/:id/scopes': [{ 'scope-read': 'on' }, /give the key “test” the scopes read/],
    '/keys/:id/limits': [
      { amount: '500', operations: '' },
      /limits of the key “test”: ETB 500, vouchers and top-ups –/,
    ],
    '/keys/:id/rotate': [{}, /replace the key “test” by a new one/],
    '/keys/:id/revoke': [{}, /revoke the key “test”/],
    '/addresses': [{ address: '203.0.113.7' }, /let calls come from 203\.0\.113\.7/],
    '/addresses/:id/remove': [{}, /refuse calls from [\d.:]+/],
    '/public-keys/proof': [{ pem }, /register the public key [\da-f]{8}/],
    '/public-keys/:id/revoke': [{}, /revoke the public key [\da-f]{8}/],
    '/webhooks/:id/pause': [{}, /pause the webhook https:\/\/shop\.example/],
    '/webhooks/:id/resume': [{}, /resume the webhook https:\/\/shop\.example/],
    '/webhooks/:id/test': [{}, /a test event to the webhook https:\/\/shop\.example/],
    '/webhooks/:id/remove': [{}, /remove the webhook https:\/\/shop\.example/],
    '/sell/voucher/sale': [
      { ...quoted, denominationId: '1', merchantIdentifier: 'MER-1', msisdn: '0911000050' },
      /sell a voucher of ETB 50\.00 to \+251911000050/,
    ],
    '/sell/airtime/sale': [
      { ...quoted, ...soldFor, amount: '50' },
      /send airtime of ETB 50\.00 to \+251911000050/,
    ],
    '/sell/package/sale': [
      { ...quoted, ...soldFor, productId: '1' },
      /send a package for ETB 50\.00 to \+251911000050/,
    ],
    '/top-ups/:id/retry': [{ msisdn: '0911000050' }, /retry top-up \d+ to \+251911000050/],
    '/bulk-orders': [
      { once: 'A'.repeat(43), rows: 'reference,amount,merchant\na,100,MERCHANT' },
      /order one voucher for ETB 100\.00/,
    ],
    '/bulk-orders/:id/result': [{}, /download the voucher codes of bulk order \d+/],
    '/people': [{ email, role: 'finance' }, /let new@shop\.example sign in as finance/],
    '/people/:id/role': [{ role: 'viewer' }, /change the role of \S+@\S+ to viewer/],
    '/people/:id/remove': [{}, /remove \S+@\S+/],
    '/people/second-factors': [{ required: 'yes' }, /require a second factor of everybody/],
    '/account/second-factor/one-time-password': [{}, /switch on one-time passwords for \S+@\S+/],
    '/account/second-factor/passkeys': [{}, /add a passkey for \S+@\S+/],
  };

  /** A row of a company for each beginning of an address. */
  async function rowsOf(company: Company, owner: number): Promise<Record<string, number>> {
    const { database } = stack;
    const webhook = await database.transaction().execute((transaction) =>
      addWebhook(transaction, {
        company,
        url: 'https://shop.example',
        description: '',
        types: null,
        createdBy: 'test',
      }),
    );
    if (company.kind === 'partner')
      await sql`
        insert into bulk_orders
          (operation_id, request_id, request_digest, partner_id, portal_account_id, lines, generated)
        values (${`bulk-${company.id}`}, gen_random_uuid(), '', ${company.id}, ${owner}, 1, 1)`.execute(
        database,
      );
    const own = sql.ref(`${company.kind}_id`);
    const first = async (table: string): Promise<number> => {
      const { rows } = await sql<{ id: number }>`
        select id from ${sql.table(table)} where ${own} = ${company.id} order by id limit 1`.execute(
        database,
      );
      return rows[0]?.id ?? 0;
    };
    return {
      keys: await first('api_keys'),
      addresses: await first('source_addresses'),
      people: owner,
      webhooks: webhook,
      ...(company.kind === 'partner'
        ? { 'bulk-orders': await first('bulk_orders') }
        : { 'public-keys': await first('merchant_public_keys') }),
    };
  }

  test.each([
    ['partner', 'en'],
    ['partner', 'am'],
    ['merchant', 'en'],
    ['merchant', 'am'],
  ] as const)('names what a %s confirms, in the language %s', async (kind, language) => {
    const company = await companies[kind]();
    const owner = await makeAccount(stack, company);
    const client = await signedIn(stack, owner);
    await client.submit('/portal/account', '/portal/account/language', { language });
    const token = await tokenOf(client);
    const { id } = await stack.database
      .updateTable('portal_accounts')
      .set({ language })
      .where('email', '=', owner.email)
      .returning('id')
      .executeTakeFirstOrThrow();
    const rows = await rowsOf(company, id);
    const { identifier } = await makeMerchant(stack);
    await stack.database
      .updateTable('portal_sessions')
      .set({ confirmed_at: new Date(0) })
      .where('account_id', '=', id)
      .execute();
    const asking = accountPages.filter(
      (page) =>
        (page.kind ?? kind) === kind &&
        page.method === 'POST' &&
        typeof page.confirmation === 'function',
    );
    for (const { path, form } of asking) {
      const [fields, words] = confirmations[path] ?? [{}, /nothing/];
      const row = rows[path.split('/')[1] ?? ''] ?? 0;
      const target = `/portal${path.replace(':id', String(row))}`;
      const body = form === undefined ? new URLSearchParams() : new FormData();
      for (const [name, value] of Object.entries({ token, ...fields }))
        body.append(name, value.replace('MERCHANT', identifier));
      const { status, html } = await client.request(target, { method: 'POST', body });
      const said = /<h1>[^<]+<\/h1>\s*<p>(.*?)<\/p>/s.exec(html)?.[1] ?? '';
      expect.soft([path, status]).toEqual([path, 403]);
      if (language === 'en') expect.soft(said.replaceAll(/<[^>]*>/g, '')).toMatch(words);
      else {
        const own = said.replaceAll(/<code>.*?<\/code>|<\/?span[^>]*>|\S+@\S+|till|test|ETB/g, '');
        expect.soft([path, own]).toEqual([path, expect.not.stringMatching(/[A-Za-z]/)]);
        expect.soft(own).toContain('ነው');
      }
    }
    expect(asking.length).toBeGreaterThan(10);
  });
});

describe('the people of a company', () => {
  async function ownedCompany() {
    const company = await companies.partner();
    const owner = await makeAccount(stack, company);
    return { company, owner, client: await signedIn(stack, owner) };
  }

  const idOf = async (email: string): Promise<number> =>
    (
      await stack.database
        .selectFrom('portal_accounts')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
    ).id;

  const add = (client: PortalClient, email: string, role: string) =>
    client.submit('/portal/people', '/portal/people', { email, role });

  const setRole = async (client: PortalClient, email: string, role: string) => {
    const path = `/portal/people/${await idOf(email)}/role`;
    return client.submit(path, path, { role });
  };

  const remove = async (client: PortalClient, email: string) => {
    const path = `/portal/people/${await idOf(email)}/remove`;
    return client.submit(path, path);
  };

  const passwordIn = (html: string): string =>
    /value="((?:[a-z2-9]{4}-?){4})"/.exec(html)?.[1] ?? '';

  test('are added with a password that is shown once and changed first', async () => {
    const { company, owner, client } = await ownedCompany();
    const email = `dev-${company.id}@portal.example`;
    const added = await add(client, ` DEV-${company.id}@portal.example `, 'developer');
    expect(added.status).toBe(200);
    const password = passwordIn(added.html);
    const person = portalClient(stack);
    expect((await person.signIn({ email, password })).status).toBe(303);
    expect((await person.get('/portal/access')).location).toBe('/portal/account');
    expect((await client.get('/portal/people')).html).not.toContain(password);
    const entries = await stack.database
      .selectFrom('audit_log')
      .select(['actor', 'details'])
      .where('action', '=', 'invite person')
      .where('subject_id', '=', company.id)
      .execute();
    expect(entries).toMatchObject([
      { actor: `portal:${owner.email}`, details: { email, role: 'developer' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(password);
  });

  test('get another role at once, and are removed with their sessions', async () => {
    const { company, client } = await ownedCompany();
    const account = await makeAccount(stack, company, { role: 'viewer' });
    const person = await signedIn(stack, account);
    expect((await person.get('/portal/access')).status).toBe(403);
    await setRole(client, account.email, 'developer');
    expect((await person.get('/portal/access')).status).toBe(200);
    await remove(client, account.email);
    expect((await person.get('/portal/access')).location).toContain('/portal/sign-in');
    expect((await person.signIn(account)).status).toBe(403);

    const back = await add(client, account.email, 'finance');
    expect((await person.signIn(account)).status).toBe(403);
    expect((await person.signIn({ ...account, password: passwordIn(back.html) })).status).toBe(303);
  });

  test('keep an owner, also when two owners remove each other at the same moment', async () => {
    const { company, owner, client } = await ownedCompany();
    const refused = await setRole(client, owner.email, 'viewer');
    expect([refused.status, refused.html.includes('the only owner')]).toEqual([422, true]);
    expect((await remove(client, owner.email)).status).toBe(422);

    const other = await makeAccount(stack, company);
    const otherClient = await signedIn(stack, other);
    const [token, otherToken] = [await tokenOf(client), await tokenOf(otherClient)];
    const path = async (email: string) => `/portal/people/${await idOf(email)}/role`;
    const [toOther, toOwner] = [await path(other.email), await path(owner.email)];
    await Promise.all([
      client.post(toOther, { token, role: 'viewer' }),
      otherClient.post(toOwner, { token: otherToken, role: 'viewer' }),
    ]);
    const owners = await stack.database
      .selectFrom('portal_accounts')
      .select('id')
      .where('partner_id', '=', company.id)
      .where('role', '=', 'owner')
      .execute();
    expect(owners).toHaveLength(1);
  });

  const ends: readonly (readonly [
    what: string,
    end: (transaction: DatabaseTransaction, id: number, partnerId: number) => Promise<unknown>,
    words: string,
  ])[] = [
    ['they are removed', (transaction, id) => disableAccount(transaction, id), NOT_YOURS],
    [
      'they get another role',
      (transaction, id) => changeAccount(transaction, id, { role: 'viewer' }),
      NOT_YOURS,
    ],
    [
      'they get another password',
      (transaction, id) => endPortalSessions(transaction, id),
      NOT_YOURS,
    ],
    [
      'their company is suspended',
      (transaction, _id, partnerId) =>
        updateRow(transaction, 'partners', partnerId, { status: 'SUSPENDED' }),
      'This account is suspended',
    ],
  ];

  test.each(ends)('change nothing by forms that waited while %s', async (_what, end, words) => {
    const company = await companies.partner();
    const account = await makeAccount(stack, company);
    const person = await signedIn(stack, account);
    const token = await tokenOf(person);
    const { running } = await stack.database.transaction().execute(async (transaction) => {
      await lockCompany(transaction, company);
      const sent = [
        person.post('/portal/keys', { token, name: 'late', 'scope-read': 'on' }),
        person.post('/portal/account/message-language', { token, language: 'am' }),
      ];
      await untilBlockedBy(transaction, stack.database, sent.length);
      await end(transaction, account.id, company.id);
      return { running: Promise.all(sent) };
    });
    for (const { status, html } of await running)
      expect([status, html.includes(words)]).toEqual([403, true]);
    const keys = await listApiKeys(stack.database, company);
    expect(keys.map(({ name }) => name)).not.toContain('late');
    expect(await messageLanguageOf(stack.database, company.id)).toBe('en');
  });

  test('are not found and not added by another company', async () => {
    const { client } = await ownedCompany();
    const stranger = await makeAccount(stack, await companies.merchant());
    const { id } = stranger;
    const token = await tokenOf(client);
    for (const path of [`/portal/people/${id}/role`, `/portal/people/${id}/remove`]) {
      expect((await client.get(path)).status).toBe(404);
      expect((await client.post(path, { token, role: 'viewer' })).status).toBe(404);
    }
    expect((await add(client, stranger.email, 'viewer')).status).toBe(422);
    expect((await add(client, 'no address', 'viewer')).status).toBe(422);
    expect((await add(client, 'new@portal.example', 'king')).status).toBe(400);
  });
});
