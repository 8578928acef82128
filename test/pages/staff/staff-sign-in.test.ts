import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsOn } from '../../admin/scene.ts';
import { makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import {
  codeOf,
  hiddenFields,
  mailsUntil,
  makeAccount,
  portalClient,
  signedIn,
} from '../portal/portal-client.ts';
import { makeStaff, SET_UP, setUpCodes, signInAtSupport, staffClient } from './staff-client.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    PORTAL_SIGN_INS_PER_ACCOUNT: '4',
    PORTAL_SIGN_INS_PER_ADDRESS: '1000',
  });
});
afterAll(() => stack?.stop());

const CODE = '/support/sign-in/second-factor';

const tenant = async () =>
  makeAccount(stack, { kind: 'partner', id: (await makePartner(stack)).id });

describe('the sign-in of staff', () => {
  test('opens nothing before a second factor is set up, then asks for it each time', async () => {
    const account = await makeStaff(stack);
    const first = portalClient(stack);
    expect(await signInAtSupport(first, account)).toMatchObject({
      status: 303,
      location: '/support',
    });
    expect(await first.get('/support')).toMatchObject({ status: 303, location: SET_UP });
    const toSetUp = (await first.get(SET_UP)).html;
    expect(toSetUp).toContain('Everybody here has a second factor.');
    expect(toSetUp).not.toContain('Your company');
    const secret = await setUpCodes(stack, first);
    expect((await first.get('/support')).html).toContain(account.name);

    const second = portalClient(stack);
    expect(await signInAtSupport(second, account)).toMatchObject({
      location: `${CODE}?next=%2Fsupport`,
    });
    expect((await second.get('/support')).location).toContain('/support/sign-in');
    const wrong = await second.submit(CODE, CODE, { code: '000000' });
    expect(wrong.status).toBe(422);
    expect(await second.submit(CODE, CODE, { code: codeOf(secret) })).toMatchObject({
      status: 303,
      location: '/support',
    });
    expect((await second.get('/support')).status).toBe(200);
  });

  test('sends a person who cannot sign in to an operator, not to a contact of companies', async () => {
    const { account } = await staffClient(stack);
    const client = portalClient(stack);
    const forms = [(await client.get('/support/sign-in')).html];
    await signInAtSupport(client, account);
    forms.push((await client.get(CODE)).html);
    await stack.database
      .updateTable('portal_accounts')
      .set({ must_change_password: true, password_expires_at: new Date(0) })
      .where('id', '=', account.id)
      .execute();
    const late = await signInAtSupport(client, account);
    expect(late.status).toBe(403);
    const operator =
      /An operator makes a new one\.|ask an operator\.|Ask an operator for a new one\./g;
    const said = [...forms, late.html].map((page) => page.match(operator));
    expect(said).toEqual([
      ['An operator makes a new one.'],
      ['ask an operator.'],
      ['Ask an operator for a new one.', 'An operator makes a new one.'],
    ]);
    expect([...forms, late.html].join()).not.toContain('contact');
  });

  test('tells the person each change of the own account by e-mail', async () => {
    const { account, client } = await staffClient(stack);
    const changed = await client.submit('/support/account', '/support/account/password', {
      password: account.password,
      'new-password': 'four words are fine',
    });
    expect(changed.status).toBe(303);
    const told = (await mailsUntil(stack, account.email, (all) => all.length === 2)).join('\n');
    expect(told).toContain(`What: Switched on one-time passwords for ${account.email}\n`);
    expect(told).toContain('What: Changed the password\n');
    expect(told).toContain(`Who:  ${account.name}\n`);
    expect(told).toContain('From: 127.0.0.1\n');
    expect(told).toContain('/support/account\n');
    expect(told).not.toMatch(/company|\/portal/);
  });

  test('locks an account out after wrong passwords', async () => {
    const account = await makeStaff(stack);
    const client = portalClient(stack);
    const wrong = { ...account, password: 'wrong horse' };
    for (let attempt = 0; attempt < 4; attempt += 1)
      expect((await signInAtSupport(client, wrong)).status).toBe(403);
    expect((await signInAtSupport(client, account)).status).toBe(429);
  });

  test('writes an entry of the audit log with the person as its actor', async () => {
    const { account } = await staffClient(stack);
    const entries = await stack.database
      .selectFrom('audit_log')
      .select(['actor', 'action', 'subject_kind', 'subject_id'])
      .where('actor', '=', `staff:${account.id}`)
      .orderBy('id')
      .execute();
    expect(entries).toEqual([
      {
        action: 'sign in',
        actor: `staff:${account.id}`,
        subject_kind: 'staff',
        subject_id: account.id,
      },
      expect.objectContaining({ action: 'switch on one-time-password', subject_kind: 'staff' }),
    ]);
  });
});

describe('the two sites', () => {
  test('know nothing of each other’s accounts', async () => {
    const [person, staff] = [await tenant(), await makeStaff(stack)];
    expect((await signInAtSupport(portalClient(stack), person)).status).toBe(403);
    expect((await portalClient(stack).signIn(staff)).status).toBe(403);
  });

  test('take no session of each other, not even in the other’s cookie', async () => {
    const client = await signedIn(stack, await tenant());
    const { client: staff } = await staffClient(stack, 'OPERATOR');
    const tokens = [
      client.cookies.get('portal-session') ?? '',
      staff.cookies.get('support-session') ?? '',
    ];
    expect(tokens.every((token) => /^[\w-]{43}$/.test(token))).toBe(true);
    const [ofTenant, ofStaff] = tokens;
    const swapped = async (path: string, cookie: string) =>
      (await portalClient(stack).request(path, { headers: { cookie } })).location;
    expect(await swapped('/support', `support-session=${ofTenant}`)).toMatch(/^\/support\/sign-in/);
    expect(await swapped('/support/account', `support-session=${ofTenant}`)).toMatch(/sign-in/);
    expect(await swapped('/portal', `portal-session=${ofStaff}`)).toMatch(/^\/portal\/sign-in/);
    expect(await swapped('/portal/account', `portal-session=${ofStaff}`)).toMatch(/sign-in/);
    expect((await client.get('/support')).location).toMatch(/^\/support\/sign-in/);
    expect((await staff.get('/portal')).location).toMatch(/^\/portal\/sign-in/);
  });

  test('take no half sign-in of each other', async () => {
    const { account, secret } = await staffClient(stack);
    const half = portalClient(stack);
    await signInAtSupport(half, account);
    const cookie = half.cookies.get('support-half') ?? '';
    const other = portalClient(stack);
    other.cookies.set('portal-half', cookie);
    const signIn = '/portal/sign-in';
    const { token = '' } = hiddenFields((await other.get(signIn)).html, signIn);
    const code = codeOf(secret);
    const answer = await other.post(`${signIn}/second-factor`, { token, code });
    expect(answer).toMatchObject({ status: 303, location: '/portal/sign-in?late=yes' });
  });
});

describe('the commands for staff accounts', () => {
  const commands = () => commandsOn({ DATABASE_URL: stack.urlFor('operator') });

  test('create, change, reset and disable an account', async () => {
    const { json, admin } = commands();
    const made = await json(
      'access staff create --email sara@service.example --name Sara --role AGENT',
    );
    const client = portalClient(stack);
    const account = { email: 'sara@service.example', password: made.password as string };
    await signInAtSupport(client, account);
    expect((await client.get('/support')).location).toBe('/support/account');
    await json(`access staff set-role ${made.id} --role SUPERVISOR --actor Abel`);
    expect(await json('access staff list')).toContainEqual(
      expect.objectContaining({ email: 'sara@service.example', role: 'SUPERVISOR' }),
    );
    const reset = await json(`access staff reset ${made.id}`);
    expect(reset.password).not.toBe(made.password);
    expect((await client.get('/support/account')).location).toContain('/support/sign-in');
    await json(`access staff disable ${made.id}`);
    const again = { ...account, password: reset.password as string };
    expect((await signInAtSupport(portalClient(stack), again)).status).toBe(403);
    expect((await admin('access staff disable 999999')).err).toContain('There is no staff account');
    const told = (await mailsUntil(stack, account.email, (all) => all.length === 4)).join('\n');
    for (const what of [
      'Gave an account to',
      'Changed the role of',
      'Reset the password and the second factor of',
      'Disabled the account of',
    ])
      expect(told).toContain(`What: ${what} ${account.email}\n`);
    expect(told).toContain('Who:  Abel\n');
    expect(told).not.toContain(made.password);
  });

  test('reset takes the second factor away, ends every session, and forgets wrong passwords', async () => {
    const { account, client } = await staffClient(stack);
    expect((await client.get('/support')).status).toBe(200);
    const wrong = { ...account, password: 'not the password' };
    while ((await signInAtSupport(portalClient(stack), wrong)).status !== 429);
    const { password } = await commands().json(`access staff reset ${account.id}`);
    const again = { ...account, password: password as string };
    expect((await signInAtSupport(portalClient(stack), again)).status).toBe(303);
    expect((await client.get('/support')).location).toContain('/support/sign-in');
    const left = await stack.database
      .selectFrom('portal_one_time_passwords')
      .select('account_id')
      .where('account_id', '=', account.id)
      .execute();
    expect(left).toEqual([]);
  });

  test('leave accounts of companies alone, and those of companies leave staff alone', async () => {
    const person = await tenant();
    const staff = await makeStaff(stack);
    const { id } = await stack.database
      .selectFrom('portal_accounts')
      .select('id')
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow();
    const { admin } = commands();
    expect((await admin(`access staff reset ${id}`)).code).not.toBe(0);
    expect((await admin(`access account disable ${staff.id}`)).code).not.toBe(0);
    expect((await admin(`access account reset-password ${staff.id}`)).code).not.toBe(0);
    expect((await admin(`access account reset-second-factor ${staff.id}`)).code).not.toBe(0);
    expect((await signInAtSupport(portalClient(stack), staff)).status).toBe(303);
  });
});
