import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Company } from '../../../../src/domain/vouchers/voucher.ts';
import { commandsOn } from '../../../admin/scene.ts';
import { makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { makeStaff, SET_UP, signInAtSupport } from '../../staff/staff-client.ts';
import {
  codeOf,
  hiddenFields,
  type MadeAccount,
  makeAccount,
  type PortalClient,
  portalClient,
  signedIn,
} from '../portal-client.ts';
import {
  type Authenticator,
  type Deviation,
  makeAuthenticator,
  optionsIn,
  SITE,
} from './authenticator.ts';
import { isIn, PAGE, recoveryCodesIn, STEP, secondFactorTools } from './second-factor-tools.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    PUBLIC_URL: SITE,
    PORTAL_SIGN_INS_PER_ACCOUNT: '6',
    PORTAL_SIGN_INS_PER_ADDRESS: '1000',
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => stack?.stop());

const { afterPassword, entriesOf, actionsOf } = secondFactorTools(() => stack);

interface Secured extends MadeAccount {
  readonly company: Company;
  readonly device: Authenticator;
  readonly recoveryCodes: readonly string[];
  /** The browser that added the passkey. */
  readonly client: PortalClient;
}

/** Adds a passkey as a browser does. */
async function add(
  client: PortalClient,
  device: Authenticator,
  { deviation = {}, page = PAGE }: { readonly deviation?: Deviation; readonly page?: string } = {},
) {
  const { html } = await client.get(page);
  return client.post(`${page}/passkeys`, {
    ...hiddenFields(html, `${page}/passkeys`),
    'passkey-name': 'My phone',
    'new-passkey': device.create(optionsIn(html, 'create'), deviation),
  });
}

async function secured(of?: Company): Promise<Secured> {
  const company = of ?? { kind: 'partner' as const, id: (await makePartner(stack)).id };
  const account = await makeAccount(stack, company);
  const client = await signedIn(stack, account);
  const device = makeAuthenticator();
  const answer = await add(client, device);
  expect(answer.status).toBe(200);
  const recoveryCodes = recoveryCodesIn(answer.html);
  expect(new Set(recoveryCodes).size).toBe(10);
  return { ...account, company, client, device, recoveryCodes };
}

/** Answers a page that asks for a passkey. */
async function answer(
  client: PortalClient,
  [page, action]: readonly [page: string, action: string],
  device: Authenticator,
  deviation: Deviation = {},
) {
  const { html } = await client.get(page);
  return client.post(action, {
    ...hiddenFields(html, action),
    passkey: device.get(optionsIn(html, 'get'), deviation),
  });
}
const enter = (client: PortalClient, device: Authenticator, deviation: Deviation = {}) =>
  answer(client, [STEP, STEP], device, deviation);

const passkeysOf = async (account: MadeAccount) =>
  stack.database
    .selectFrom('portal_passkeys')
    .selectAll()
    .where('account_id', '=', account.id)
    .execute();

describe('a passkey', () => {
  test('signs in after the password, as the only second factor', async () => {
    const person = await secured();
    const client = await afterPassword(person);
    expect(await isIn(client)).toBe(false);
    expect(await enter(client, person.device)).toMatchObject({ status: 303, location: '/portal' });
    expect(await isIn(client)).toBe(true);
    const [stored] = await passkeysOf(person);
    expect(stored).toMatchObject({ name: 'My phone', counter: 2, last_used_at: expect.any(Date) });
    expect((await client.get(PAGE)).html).toContain('<strong>My phone</strong>');
    expect(await entriesOf(person.company)).toContainEqual({
      action: 'add passkey',
      details: expect.objectContaining({ email: person.email, name: 'My phone' }),
    });
    expect((await client.get('/portal/activity')).html).toContain('Added a passkey for');
  });

  test('of a device that counts nothing signs in again and again', async () => {
    const person = await secured();
    await stack.database.updateTable('portal_passkeys').set({ counter: 0 }).execute();
    for (let times = 0; times < 2; times += 1)
      expect((await enter(await afterPassword(person), person.device, { counter: 0 })).status).toBe(
        303,
      );
  });

  test('leaves the recovery codes of the account for a day without the device', async () => {
    const person = await secured();
    const client = await afterPassword(person);
    const [code = ''] = person.recoveryCodes;
    expect((await client.submit(STEP, STEP, { code })).status).toBe(303);
    // A second factor more changes neither the codes nor the first factor.
    const secret = await setUpCodesAt(person.client);
    const [, second = ''] = person.recoveryCodes;
    const again = await afterPassword(person);
    expect((await again.submit(STEP, STEP, { code: second })).status).toBe(303);
    const byCode = await afterPassword(person);
    expect((await byCode.submit(STEP, STEP, { code: codeOf(secret) })).status).toBe(303);
    expect((await enter(await afterPassword(person), person.device)).status).toBe(303);
  });

  test('ends the other sessions of the person when it is added', async () => {
    const account = await makeAccount(stack, (await secured()).company);
    const [client, elsewhere] = [await signedIn(stack, account), await signedIn(stack, account)];
    expect((await add(client, makeAuthenticator())).status).toBe(200);
    expect([await isIn(client), await isIn(elsewhere)]).toEqual([true, false]);
  });

  test('confirms a change whose form is kept', async () => {
    const { client, device, ...person } = await secured();
    await forgetConfirmation(person);
    const asked = await client.submit('/portal/access', '/portal/keys', { name: 'till' });
    expect([asked.status, asked.html.includes('Confirm that it is you')]).toEqual([403, true]);
    const kept = hiddenFields(asked.html, '/portal/keys');
    const options = optionsIn(asked.html, 'get');
    const confirm = (deviation: Deviation = {}) =>
      client.post('/portal/keys', { ...kept, passkey: device.get(options, deviation) });
    const refused = await confirm({ origin: 'https://voucher.example' });
    expect(refused.status).toBe(422);
    // The password is no proof any more, and the challenge was used.
    const password = { ...kept, password: person.password };
    expect((await client.post('/portal/keys', password)).status).toBe(422);
    expect((await confirm()).status).toBe(422);
    expect(await actionsOf(person.company)).not.toContain('issue api-key');
    const made = await client.post('/portal/keys', {
      ...kept,
      passkey: device.get(optionsIn(refused.html, 'get')),
    });
    expect([made.status, made.html.includes('Your new key')]).toEqual([200, true]);
  });

  test('is the second factor that a company requires, and that staff need', async () => {
    const { client, company } = await secured();
    const account = await makeAccount(stack, company, { role: 'developer' });
    const person = await signedIn(stack, account);
    await client.submit('/portal/people', '/portal/people/second-factors');
    expect((await person.get('/portal')).location).toBe(PAGE);
    expect((await add(person, makeAuthenticator())).status).toBe(200);
    expect(await isIn(person)).toBe(true);

    const staff = await makeStaff(stack);
    const [first, second] = [portalClient(stack), portalClient(stack)];
    await signInAtSupport(first, staff);
    expect((await first.get('/support')).location).toBe(SET_UP);
    const device = makeAuthenticator();
    expect((await add(first, device, { page: SET_UP })).status).toBe(200);
    expect((await first.get('/support')).status).toBe(200);
    const step = '/support/sign-in/second-factor';
    expect((await signInAtSupport(second, staff)).location).toBe(`${step}?next=%2Fsupport`);
    expect((await second.get('/support')).status).toBe(303);
    expect((await answer(second, [step, step], device)).location).toBe('/support');
    expect((await second.get('/support')).status).toBe(200);
  });
});

/** Sets one-time passwords up at the portal. */
const setUpCodesAt = async (client: PortalClient): Promise<string> => {
  const action = `${PAGE}/one-time-password`;
  const { html } = await client.get(PAGE);
  const secret = /data-copy value="([A-Z2-7 ]+)"/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
  const code = codeOf(secret);
  const made = await client.post(action, { ...hiddenFields(html, action), 'new-code': code });
  // No new recovery codes.
  expect(made).toMatchObject({ status: 303, location: PAGE });
  // The present code is unused.
  await stack.database.updateTable('portal_one_time_passwords').set({ last_step: 0 }).execute();
  return secret;
};

/** Ages every confirmation of an account's sessions. */
async function forgetConfirmation(person: MadeAccount): Promise<void> {
  await stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(Date.now() - 3_600_000) })
    .where('account_id', '=', person.id)
    .execute();
}

describe('a sign-in is refused', () => {
  const ageChallenges = () =>
    stack.database
      .updateTable('portal_passkey_challenges')
      .set({ created_at: new Date(Date.now() - 301_000) })
      .execute();

  /** What differs from the right answer; `before` happens between the page and its answer. */
  const cases: Readonly<
    Record<
      string,
      Deviation & { readonly before?: (person: Secured) => Promise<unknown>; readonly late?: true }
    >
  > = {
    'of another origin': { origin: 'https://portal.example' },
    'of another host': { rpId: 'portal.example' },
    'with the challenge of nobody': { challenge: 'A'.repeat(43), late: true },
    'with a challenge that is no challenge': { challenge: '' },
    'after five minutes': { before: ageChallenges, late: true },
    'with a counter that does not grow': { counter: 1 },
    'with a counter of zero after others': { counter: 0 },
    'with the signature of another key': { hasOtherKey: true },
    'without the touch of a person': { isAbsent: true },
    'for the making of a passkey': { type: 'webauthn.create' },
    'after the passkey was removed': {
      before: async (person) =>
        stack.database.deleteFrom('portal_passkeys').where('account_id', '=', person.id).execute(),
    },
  };

  test.each(Object.entries(cases))('%s', async (_name, { before, late, ...deviation }) => {
    const person = await secured();
    const client = await afterPassword(person);
    const { html } = await client.get(STEP);
    await before?.(person);
    const fields = { ...hiddenFields(html, STEP) };
    const passkey = person.device.get(optionsIn(html, 'get'), deviation);
    const refused = await client.post(STEP, { ...fields, passkey });
    expect([refused.status, refused.html.includes('came too late')]).toEqual([422, late === true]);
    expect(await isIn(client)).toBe(false);
    await until(async () =>
      expect(await entriesOf(person.company)).toContainEqual({
        action: 'fail sign-in',
        details: expect.objectContaining({ why: 'wrong passkey' }),
      }),
    );
  });

  test('with the passkey of another person, and with a challenge of another person', async () => {
    const person = await secured();
    const stranger = await secured(person.company);
    const client = await afterPassword(person);
    expect((await enter(client, stranger.device)).status).toBe(422);
    const elsewhere = await afterPassword(stranger);
    const { challenge } = optionsIn((await elsewhere.get(STEP)).html, 'get');
    expect((await enter(client, person.device, { challenge })).status).toBe(422);
    expect(await isIn(client)).toBe(false);
    expect((await enter(client, person.device)).status).toBe(303);
  });

  test('with an answer that was used, also by two requests at the same moment', async () => {
    const person = await secured();
    const clients = await Promise.all([1, 2, 3].map(() => afterPassword(person)));
    const [first] = clients as [PortalClient];
    const { html } = await first.get(STEP);
    const passkey = person.device.get(optionsIn(html, 'get'));
    const forms = await Promise.all(
      clients.map(async (client) => hiddenFields((await client.get(STEP)).html, STEP)),
    );
    const answers = await Promise.all(
      clients.map((client, index) => client.post(STEP, { ...forms[index], passkey })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422]);
  });

  /** A browser that stays before the second factor. */
  let waiting: PortalClient;
  beforeAll(async () => {
    waiting = await afterPassword(await secured());
  });

  test.each([
    ['no JSON', '{'],
    ['no answer of a browser', '{"id":"x"}'],
    ['a list', '[]'],
    ['a long id', JSON.stringify({ id: 'a'.repeat(9_999) })],
  ])('with %s in place of an answer', async (_name, passkey) => {
    expect((await waiting.submit(STEP, STEP, { passkey })).status).toBe(422);
    expect(await isIn(waiting)).toBe(false);
  });

  test('after too many wrong answers, which count as wrong codes do', async () => {
    const person = await secured();
    const client = await afterPassword(person);
    for (let tries = 0; tries < 3; tries += 1)
      expect((await enter(client, person.device, { hasOtherKey: true })).status).toBe(422);
    const other = await afterPassword(person);
    for (let tries = 0; tries < 3; tries += 1)
      expect((await other.submit(STEP, STEP, { code: '000000' })).status).toBe(422);
    const refused = await enter(await afterPassword(person), person.device);
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
  });
});

describe('a new passkey is refused', () => {
  const hex = (text: string) => Buffer.from(text, 'hex');
  /** `fmt` android-key, whose certificates name addresses that the library would call. */
  const certificates = Buffer.concat([
    ...[hex('63'), Buffer.from('fmt'), hex('6b'), Buffer.from('android-key')],
    ...[hex('67'), Buffer.from('attStmt'), hex('a163'), Buffer.from('x5c'), hex('814100')],
  ]);
  let company: Company;
  beforeAll(async () => {
    company = { kind: 'partner', id: (await makePartner(stack)).id };
  });

  test.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://portal.example' }],
    ['of another host', { rpId: 'portal.example' }],
    ['with the challenge of nobody', { challenge: 'A'.repeat(43) }],
    ['for a sign-in', { type: 'webauthn.get' }],
    ['without the touch of a person', { isAbsent: true }],
    ['with certificates', { attestation: certificates }],
  ])('%s', async (_name, deviation) => {
    const account = await makeAccount(stack, company);
    const client = await signedIn(stack, account);
    expect((await add(client, makeAuthenticator(), { deviation })).status).toBe(422);
    expect(await passkeysOf(account)).toEqual([]);
    expect((await portalClient(stack).signIn(account)).location).toBe('/portal');
  });

  test('that an account has already, and from a page that was sent before', async () => {
    const person = await secured();
    const account = await makeAccount(stack, person.company);
    const client = await signedIn(stack, account);
    expect((await add(client, person.device)).status).toBe(422);
    expect(await passkeysOf(account)).toEqual([]);

    const { html } = await client.get(PAGE);
    const action = `${PAGE}/passkeys`;
    const send = (name = 'Key') =>
      client.post(action, {
        ...hiddenFields(html, action),
        'passkey-name': name,
        'new-passkey': makeAuthenticator().create(optionsIn(html, 'create')),
      });
    expect((await send('\u0007')).status).toBe(422);
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(422);
    expect(await passkeysOf(account)).toHaveLength(1);
  });
});

describe('the last second factor', () => {
  const removePathOf = async (account: MadeAccount) => {
    const [passkey] = await passkeysOf(account);
    return `${PAGE}/passkeys/${passkey?.id}/remove`;
  };

  test('takes the recovery codes with it, and no factor goes without a proof', async () => {
    const { client, device, ...person } = await secured();
    const secret = await setUpCodesAt(client);
    const remove = await removePathOf(person);
    const wrong = await client.submit(remove, remove, { password: person.password });
    expect(wrong.status).toBe(422);
    expect(await passkeysOf(person)).toHaveLength(1);
    expect((await answer(client, [remove, remove], device)).status).toBe(303);
    expect(await passkeysOf(person)).toEqual([]);
    expect((await client.get(remove)).location).toBe(PAGE);
    expect((await client.get(PAGE)).html).toContain('You have\n10 of them left');
    const off = `${PAGE}/one-time-password/off`;
    expect((await client.submit(off, off, { code: codeOf(secret) })).status).toBe(303);
    expect((await portalClient(stack).signIn(person)).location).toBe('/portal');
    const left = await stack.database
      .selectFrom('portal_recovery_codes')
      .select('account_id')
      .where('account_id', '=', person.id)
      .execute();
    expect(left).toEqual([]);
    expect(await actionsOf(person.company)).toEqual(
      expect.arrayContaining(['remove passkey', 'switch off one-time-password']),
    );
  });

  test('of one person is nobody else’s', async () => {
    const person = await secured();
    const stranger = await secured(person.company);
    const remove = await removePathOf(person);
    expect((await stranger.client.get(remove)).location).toBe(PAGE);
    const own = await removePathOf(stranger);
    const { html } = await stranger.client.get(own);
    const passkey = stranger.device.get(optionsIn(html, 'get'));
    const sent = { ...hiddenFields(html, own), passkey };
    expect((await stranger.client.post(remove, sent)).location).toBe(PAGE);
    expect(await passkeysOf(person)).toHaveLength(1);
  });

  test('is reset by an operator, with all passkeys of the person', async () => {
    const person = await secured();
    const operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
    const half = await afterPassword(person);
    const command = `access account reset-second-factor ${person.id}`;
    expect(await operator.json(command)).toMatchObject({ changed: true, email: person.email });
    expect(await operator.json(command)).toMatchObject({ changed: false });
    expect(await passkeysOf(person)).toEqual([]);
    expect(await isIn(person.client)).toBe(false);
    expect((await half.get(STEP)).location).toBe('/portal/sign-in?late=yes');
    expect((await portalClient(stack).signIn(person)).location).toBe('/portal');
    const staff = await makeStaff(stack);
    const client = portalClient(stack);
    await signInAtSupport(client, staff);
    await add(client, makeAuthenticator(), { page: SET_UP });
    await operator.json(`access staff reset ${staff.id}`);
    expect(await passkeysOf(staff)).toEqual([]);
  });
});
