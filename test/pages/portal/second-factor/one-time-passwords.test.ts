import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PortalRole } from '../../../../src/domain/access.ts';
import type { Company } from '../../../../src/domain/vouchers/voucher.ts';
import { commandsOn } from '../../../admin/scene.ts';
import { makePartner } from '../../../support/companies.ts';
import { untilBlockedBy } from '../../../support/database-locks.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import {
  codeOf,
  hiddenFields,
  type MadeAccount,
  mailsUntil,
  makeAccount,
  type PortalClient,
  portalClient,
  signedIn,
} from '../portal-client.ts';
import { isIn, PAGE, recoveryCodesIn, STEP, secondFactorTools } from './second-factor-tools.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    PORTAL_SIGN_INS_PER_ACCOUNT: '6',
    PORTAL_SIGN_INS_PER_ADDRESS: '1000',
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => stack?.stop());

const { afterPassword, actionsOf } = secondFactorTools(() => stack);

const SWITCH_ON = `${PAGE}/one-time-password`;

const secretIn = (html: string): string =>
  /data-copy value="([A-Z2-7 ]+)"/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
interface Secured extends MadeAccount {
  readonly company: Company;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** The browser that set one-time passwords up. */
  readonly client: PortalClient;
}

/** Sets up one-time passwords as a person does, a while ago: the present code is unused. */
async function setUp(client: PortalClient) {
  const { html } = await client.get(PAGE);
  const secret = secretIn(html);
  const answer = await client.post(SWITCH_ON, {
    ...hiddenFields(html, SWITCH_ON),
    'new-code': codeOf(secret),
  });
  expect(answer.status).toBe(200);
  const recoveryCodes = recoveryCodesIn(answer.html);
  expect(new Set(recoveryCodes).size).toBe(10);
  await stack.database.updateTable('portal_one_time_passwords').set({ last_step: 0 }).execute();
  return { secret, recoveryCodes };
}

async function secured(role: PortalRole = 'owner', of?: Company): Promise<Secured> {
  const company = of ?? { kind: 'partner' as const, id: (await makePartner(stack)).id };
  const account = await makeAccount(stack, company, { role });
  const client = await signedIn(stack, account);
  return { ...account, company, client, ...(await setUp(client)) };
}

const RECOVERY = 'use recovery-code';

const addWebhook = (client: PortalClient, code: string, url = 'https://shop.example/hooks') =>
  client.submit('/portal/webhooks', '/portal/webhooks', { url, code });
const enter = (client: PortalClient, code: string) => client.submit(STEP, STEP, { code });
/** Sends a code after the half sign-in has ended: its page is not there any more. */
const enterLate = async (client: PortalClient, code: string) => {
  const { token = '' } = hiddenFields(
    (await client.get('/portal/sign-in')).html,
    '/portal/sign-in',
  );
  return client.post(STEP, { token, code });
};
const LATE = '/portal/sign-in?late=yes';
/** Ages every confirmation of an account's sessions. */
const forgetConfirmation = async (account: MadeAccount) =>
  stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(Date.now() - 3_600_000) })
    .where('account_id', '=', account.id)
    .execute();

describe('a sign-in with a one-time password', () => {
  test('takes the password, then the code, and keeps the page that was asked for', async () => {
    const person = await secured();
    const client = portalClient(stack);
    const asked = await client.submit('/portal/sign-in?next=/portal/account', '/portal/sign-in', {
      email: person.email,
      password: person.password,
    });
    expect(asked.location).toBe(`${STEP}?next=%2Fportal%2Faccount`);
    const answer = await client.submit(asked.location ?? '', STEP, {
      code: ` ${codeOf(person.secret).replace(/^.../, '$& ')} `,
    });
    expect(answer).toMatchObject({ status: 303, location: '/portal/account' });
    expect(client.cookies.has('portal-half')).toBe(false);
    expect(await isIn(client)).toBe(true);
    const { secret_ciphertext: stored } = await stack.database
      .selectFrom('portal_one_time_passwords')
      .select('secret_ciphertext')
      .where('account_id', '=', person.id)
      .executeTakeFirstOrThrow();
    expect(stored).not.toContain(person.secret);
  });

  test('begins no session where the first factor was added after the password was checked', async () => {
    const person = await makeAccount(stack, { kind: 'partner', id: (await makePartner(stack)).id });
    const client = portalClient(stack);
    const { signingIn } = await stack.database.transaction().execute(async (transaction) => {
      const id = person.id;
      await sql`select from portal_accounts where id = ${id} for no key update`.execute(
        transaction,
      );
      await sql`
        insert into portal_one_time_passwords (account_id, secret_ciphertext, last_step)
        values (${id}, 'sealed', 0)`.execute(transaction);
      const answer = client.signIn(person);
      await untilBlockedBy(transaction, stack.database, 1);
      return { signingIn: answer };
    });
    expect(await signingIn).toMatchObject({ status: 403 });
    expect(await isIn(client)).toBe(false);
  });

  test('opens nothing before the code, neither by page nor by form', async () => {
    const person = await secured();
    const client = await afterPassword(person);
    expect(client.cookies.has('portal-session')).toBe(false);
    const half = client.cookies.get('portal-half') ?? '';
    // The token of the half is no session either.
    client.cookies.set('portal-session', half);
    const { html } = await client.get(STEP);
    const { token = '' } = hiddenFields(html, STEP);
    const before = await actionsOf(person.company);
    for (const path of ['/portal', '/portal/account', PAGE, '/portal/access'])
      expect((await client.get(path)).location).toContain('/portal/sign-in?');
    for (const path of [
      `${SWITCH_ON}/off`,
      '/portal/keys',
      '/portal/account/password',
      '/portal/people',
    ])
      expect((await client.post(path, { token, name: 'x' })).location).toContain(
        '/portal/sign-in?',
      );
    expect(await actionsOf(person.company)).toEqual(before);
    client.cookies.delete('portal-session');
    client.cookies.delete('portal-half');
    expect((await enterLate(client, codeOf(person.secret))).location).toBe(LATE);
  });

  test('refuses a used code, also of two requests at the same moment, and those that are too old', async () => {
    const person = await secured();
    const clients = await Promise.all([1, 2, 3].map(() => afterPassword(person)));
    const code = codeOf(person.secret);
    const answers = await Promise.all(clients.map((client) => enter(client, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422]);
    // The right one forgives the wrong ones that were counted before it: none, or one, or both.
    await stack.database.deleteFrom('portal_sign_in_attempts').execute();
    const late = await afterPassword(person);
    const again = await enter(late, code);
    expect([again.status, again.html.includes('was used already')]).toEqual([422, true]);
    for (const steps of [-3, -1, 3])
      expect((await enter(late, codeOf(person.secret, steps))).status).toBe(422);
    expect((await enter(late, codeOf(person.secret, 1))).status).toBe(303);
  });

  test('takes each recovery code once, also of two requests at the same moment', async () => {
    const person = await secured();
    const [first = '', second = ''] = person.recoveryCodes;
    const clients = await Promise.all([1, 2].map(() => afterPassword(person)));
    const answers = await Promise.all(clients.map((client) => enter(client, first.toUpperCase())));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect((await enter(await afterPassword(person), second)).status).toBe(303);
    expect((await actionsOf(person.company)).filter((one) => one === RECOVERY)).toHaveLength(2);
    const other = await afterPassword(await secured());
    const [, , third = ''] = person.recoveryCodes;
    expect((await enter(other, third)).status).toBe(422);
    expect((await enter(other, codeOf(person.secret))).status).toBe(422);
    expect(await isIn(other)).toBe(false);
  });

  const uses: readonly (readonly [
    string,
    status: number,
    prepare: (person: Secured) => Promise<(code: string) => Promise<{ readonly status: number }>>,
  ])[] = [
    [
      'a sign-in',
      303,
      async (person) => {
        const client = await afterPassword(person);
        return (code) => enter(client, code);
      },
    ],
    [
      'a change',
      200,
      async ({ client }) =>
        (code) =>
          addWebhook(client, code),
    ],
  ];

  test.each(uses)('uses a recovery code up together with its entry: %s', async (...given) => {
    const [, status, prepare] = given;
    const person = await secured();
    const [code = ''] = person.recoveryCodes;
    const accountId = person.id;
    const used = () =>
      stack.database
        .selectFrom('portal_recovery_codes')
        .select('used_at')
        .where('account_id', '=', accountId)
        .where('used_at', 'is not', null)
        .execute();
    const use = await prepare(person);
    const { running } = await stack.database.transaction().execute(async (transaction) => {
      await sql`lock table audit_log in share mode`.execute(transaction);
      const answer = use(code);
      await untilBlockedBy(transaction, stack.database, 1);
      expect(await used()).toEqual([]);
      return { running: answer };
    });
    expect((await running).status).toBe(status);
    expect(await used()).toHaveLength(1);
    expect((await actionsOf(person.company)).filter((one) => one === RECOVERY)).toHaveLength(1);
  });

  test('counts wrong codes over all addresses, and a known password buys no more of them', async () => {
    const person = await secured();
    for (const client of [await afterPassword(person), await afterPassword(person)])
      for (let tries = 0; tries < 3; tries += 1)
        expect((await enter(client, '000000')).status).toBe(422);
    const third = await afterPassword(person);
    const refused = await enter(third, codeOf(person.secret));
    // The company sees each address in its activity.
    await until(async () =>
      expect(
        (await actionsOf(person.company)).filter((one) => one === 'fail sign-in'),
      ).toHaveLength(2),
    );
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    // A browser that the person has signed in with has its own count.
    const known = portalClient(stack);
    for (const [name, value] of person.client.cookies) known.cookies.set(name, value);
    await known.signIn(person);
    expect((await enter(known, codeOf(person.secret))).status).toBe(303);
  });

  test('ends with the password that began it, and after its time', async () => {
    const person = await secured();
    const operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
    const client = await afterPassword(person);
    const old = client.cookies.get('portal-half') ?? '';
    const { secretOutput: _none, password } = await operator.json(
      `access account reset-password ${person.id}`,
    );
    expect((await enterLate(client, codeOf(person.secret))).location).toBe(LATE);
    client.cookies.set('portal-half', old);
    expect((await client.get(STEP)).location).toBe(LATE);
    client.cookies.set('portal-half', old);
    expect((await enterLate(client, codeOf(person.secret))).location).toBe(LATE);
    const again = await afterPassword({ ...person, password });
    await stack.database
      .updateTable('portal_half_sign_ins')
      .set({ created_at: new Date(Date.now() - 3_600_000) })
      .where('account_id', '=', person.id)
      .execute();
    expect((await enterLate(again, codeOf(person.secret))).location).toBe(LATE);
  });
});

describe('one-time passwords', () => {
  test('are switched on with a code of a secret that the portal made for this account', async () => {
    const person = await secured();
    const account = await makeAccount(stack, person.company);
    const [client, elsewhere] = [await signedIn(stack, account), await signedIn(stack, account)];
    const { html } = await client.get(PAGE);
    expect(html).toContain('<svg class="qr-code"');
    const fields = hiddenFields(html, SWITCH_ON);
    const wrong = await client.post(SWITCH_ON, { ...fields, 'new-code': '000000' });
    expect([wrong.status, secretIn(wrong.html)]).toEqual([422, secretIn(html)]);
    const stranger = await signedIn(stack, await makeAccount(stack, person.company));
    const { token = '' } = hiddenFields((await stranger.get(PAGE)).html, SWITCH_ON);
    const code = codeOf(secretIn(html));
    const foreign = await stranger.post(SWITCH_ON, { ...fields, token, 'new-code': code });
    expect(foreign.status).toBe(400);
    expect((await client.post(SWITCH_ON, { ...fields, 'new-code': code })).status).toBe(200);
    expect(await isIn(client)).toBe(true);
    expect(await isIn(elsewhere)).toBe(false);
    // The code of the set-up is used.
    expect((await enter(await afterPassword(account), code)).status).toBe(422);
  });

  test('are switched off, and get new recovery codes, with a code only', async () => {
    const { client, ...person } = await secured();
    const send = (action: string, fields: Record<string, string>) =>
      client.submit(`${PAGE}/${action}`, `${PAGE}/${action}`, fields);
    expect((await send('one-time-password/off', { password: person.password })).status).toBe(422);
    expect((await send('recovery-codes', { code: '123' })).status).toBe(422);
    // With what comes along with copied text.
    const renewed = await send('recovery-codes', { code: `\u202a${codeOf(person.secret)}\u00a0` });
    const [fresh = ''] = recoveryCodesIn(renewed.html);
    const [stale = ''] = person.recoveryCodes;
    expect((await send('one-time-password/off', { code: stale })).status).toBe(422);
    expect((await send('one-time-password/off', { code: fresh })).status).toBe(303);
    const copied = { ...person, email: `\u202a${person.email}\u202c ` };
    expect((await portalClient(stack).signIn(copied)).location).toBe('/portal');
    expect(await actionsOf(person.company)).toEqual(
      expect.arrayContaining(['renew recovery-codes', 'switch off one-time-password']),
    );
  });

  test('are not used up by a form that is wrong', async () => {
    const { client, secret } = await secured();
    const code = codeOf(secret);
    expect((await addWebhook(client, code, 'ftp://shop.example')).status).toBe(422);
    expect((await addWebhook(client, code)).status).toBe(200);
    expect((await addWebhook(client, code, 'https://shop.example/more')).status).toBe(422);
  });

  test('are required by an owner: who has none is led to set them up before all else', async () => {
    const { client, company } = await secured();
    const account = await makeAccount(stack, company, { role: 'developer' });
    const person = await signedIn(stack, account);
    const rule = '/portal/people/second-factors';
    expect((await person.post(rule, {})).status).toBe(403);
    await client.submit('/portal/people', rule);
    const token = hiddenFields((await person.get(PAGE)).html, SWITCH_ON).token ?? '';
    for (const path of ['/portal', '/portal/access'])
      expect((await person.get(path)).location).toBe(PAGE);
    expect((await person.post('/portal/keys', { token, name: 'x' })).location).toBe(PAGE);
    expect((await person.get(PAGE)).html).not.toContain('<nav id="menu"');
    const { secret } = await setUp(person);
    expect(await isIn(person)).toBe(true);
    await person.submit(`${SWITCH_ON}/off`, `${SWITCH_ON}/off`, { code: codeOf(secret) });
    expect((await person.get('/portal')).location).toBe(PAGE);
    await client.submit('/portal/people', rule);
    expect(await isIn(person)).toBe(true);
    expect(await actionsOf(company)).not.toContain('issue api-key');
  });

  test('are reset by an operator, who is in the audit log; the owners are told', async () => {
    const person = await secured('viewer');
    const owner = await makeAccount(stack, person.company);
    const operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
    const half = await afterPassword(person);
    const wrong = { ...person, password: 'not the password' };
    while ((await portalClient(stack).signIn(wrong)).status !== 429);
    const command = `access account reset-second-factor ${person.id}`;
    expect(await operator.json(command)).toMatchObject({ changed: true, email: person.email });
    expect(await operator.json(command)).toMatchObject({ changed: false });
    expect(await isIn(person.client)).toBe(false);
    expect((await enterLate(half, codeOf(person.secret))).location).toBe(LATE);
    expect((await portalClient(stack).signIn(person)).location).toBe('/portal');
    for (const { email } of [owner, person])
      await mailsUntil(stack, email, (texts) =>
        texts.some((text) => text.includes(`Reset the second factor of ${person.email}`)),
      );
  });
});

describe('a change of access', () => {
  const make = (client: PortalClient, fields: Record<string, string> = {}) =>
    client.submit('/portal/access', '/portal/keys', { name: 'till', ...fields });

  test.each(['password', 'code'] as const)(
    'asks for the %s where the last proof is old, and keeps the form',
    async (kind) => {
      const company: Company = { kind: 'partner', id: (await makePartner(stack)).id };
      const person =
        kind === 'code'
          ? await secured('owner', company)
          : { ...(await makeAccount(stack, company)), client: undefined, secret: '' };
      const client = person.client ?? (await signedIn(stack, person));
      await forgetConfirmation(person);
      const asked = await make(client);
      expect([asked.status, asked.html.includes('Confirm that it is you')]).toEqual([403, true]);
      const kept = hiddenFields(asked.html, '/portal/keys');
      expect(kept).toMatchObject({ name: 'till', 'scope-read': 'on' });
      const wrong = await client.post('/portal/keys', { ...kept, [kind]: '000000' });
      expect(wrong.status).toBe(422);
      // The password is no proof where codes are on.
      if (kind === 'code')
        expect(
          (await client.post('/portal/keys', { ...kept, password: person.password })).status,
        ).toBe(422);
      expect(await actionsOf(company)).not.toContain('issue api-key');
      const proof = kind === 'code' ? codeOf(person.secret) : person.password;
      const made = await client.post('/portal/keys', { ...kept, [kind]: proof });
      expect([made.status, made.html.includes('Your new key')]).toEqual([200, true]);
      // The proof holds for the next change.
      expect((await make(client, { name: 'other' })).status).toBe(200);
    },
  );

  test('counts wrong proofs', async () => {
    const { client, ...person } = await secured();
    await forgetConfirmation(person);
    const kept = hiddenFields((await make(client)).html, '/portal/keys');
    for (let tries = 0; tries < 6; tries += 1)
      expect((await client.post('/portal/keys', { ...kept, code: '000000' })).status).toBe(422);
    const refused = await client.post('/portal/keys', { ...kept, code: codeOf(person.secret) });
    expect(refused.status).toBe(429);
    expect(await actionsOf(person.company)).not.toContain('issue api-key');
  });

  test('is told to every owner, once, without secrets', async () => {
    const company: Company = { kind: 'partner', id: (await makePartner(stack)).id };
    const owner = await makeAccount(stack, company);
    const viewer = await makeAccount(stack, company, { role: 'viewer' });
    const { client, ...person } = await secured('owner', company);
    const made = await make(client);
    const key = /value="(gvs_test_[^"]+)"/.exec(made.html)?.[1] ?? '';
    expect(key).not.toBe('');
    await client.submit('/portal/access', '/portal/addresses', { address: '203.0.113.77' });
    const texts = await mailsUntil(stack, owner.email, (all) => all.length === 3);
    expect(texts.join('\n')).toContain('Created the API key till (');
    expect(texts.join('\n')).toContain(`Who:  ${person.email}`);
    expect(texts.join('\n')).toContain('Registered the address 203.0.113.77');
    expect(texts.join('\n')).not.toContain(key);
    await mailsUntil(stack, person.email, (all) => all.length === 3);
    await mailsUntil(stack, viewer.email, (all) => all.length === 0);
    const { rows: told } = await sql<{ action: string }>`
      select action from audit_log
      where subject_id = ${person.company.id} and exists (
        select from outbox where kind = 'access-notices' and subject = audit_log.id::text)`.execute(
      stack.database,
    );
    expect(told.map(({ action }) => action).sort()).toEqual([
      'issue api-key',
      'register address',
      'switch on one-time-password',
    ]);
  });

  test('of the password is told to its person, and to the owners', async () => {
    const { email, company } = await secured();
    const viewer = await makeAccount(stack, company, { role: 'viewer' });
    const client = await signedIn(stack, viewer);
    await client.submit('/portal/account', '/portal/account/password', {
      password: viewer.password,
      'new-password': 'four words are fine',
    });
    for (const to of [email, viewer.email])
      await mailsUntil(stack, to, (texts) =>
        texts.some((text) => text.includes(`What: Changed the password\nWho:  ${viewer.email}`)),
      );
  });

  test('is told to the person whose account it disables', async () => {
    const { client, company } = await secured();
    const viewer = await makeAccount(stack, company, { role: 'viewer' });
    const path = `/portal/people/${viewer.id}/remove`;
    expect((await client.submit(path, path, {})).status).toBe(303);
    await mailsUntil(stack, viewer.email, (texts) =>
      texts.some((text) => text.includes(`Removed the account of ${viewer.email}`)),
    );
  });
});
