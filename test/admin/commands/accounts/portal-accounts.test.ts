import { afterAll, beforeAll, expect, test } from 'vitest';
import { hiddenFields, portalClient } from '../../../pages/portal/portal-client.ts';
import { makeMerchant, makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { type Commands, commandsOn } from '../../scene.ts';

let stack: Stack;
let operator: Commands;

beforeAll(async () => {
  stack = await startStack();
  operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
});
afterAll(() => stack?.stop());

const signIn = async (email: string, password: string) => {
  const client = portalClient(stack);
  return { client, status: (await client.signIn({ email, password })).status };
};

test('a person is let in by a password that is shown once and changed first of all', async () => {
  const { id } = await makePartner(stack);
  const words = `access account create --email Abebe@Shop.Example --partner ${id}`;
  const { password, accountId } = await operator.json(words);
  expect(password).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  const { client } = await signIn('abebe@shop.example', password);
  expect((await client.get('/portal')).location).toBe('/portal/account');
  const { html } = await client.get('/portal/account');
  await client.post('/portal/account/password', {
    ...hiddenFields(html, '/portal/account/password'),
    password,
    'new-password': 'a password of my own',
  });
  expect((await client.get('/portal')).status).toBe(200);

  const { out } = await operator.admin(`access account list --partner ${id}`);
  expect(out).toMatch(/abebe@shop\.example/);
  const again = await operator.admin(words);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('already has an account') });

  const disable = `access account disable ${accountId}`;
  const changes = [await operator.json(disable), await operator.json(disable)];
  expect(changes.map(({ changed }) => changed)).toEqual([true, false]);
  expect((await client.get('/portal')).status).toBe(303);
  expect((await signIn('abebe@shop.example', 'a password of my own')).status).toBe(403);

  const reset = await operator.json(`access account reset-password ${accountId}`);
  expect((await signIn('abebe@shop.example', 'a password of my own')).status).toBe(403);
  expect((await signIn('abebe@shop.example', reset.password)).status).toBe(303);

  const audit = await stack.database.selectFrom('audit_log').selectAll().execute();
  expect(audit.map(({ action }) => action)).toEqual(
    expect.arrayContaining([
      'create portal-account',
      'disable portal-account',
      'reset portal-password',
    ]),
  );
  for (const secret of [password, reset.password])
    expect(JSON.stringify(audit)).not.toContain(secret);
});

test.each([
  ['access account create --email x@y.example', 'Use either --partner or --merchant.'],
  ['access account create --email x@y.example --partner 999', 'There is no partner 999'],
  ['access account create --email x --partner 1', 'must be an e-mail address'],
  ['access account reset-password 999', 'There is no portal account 999'],
  ['access account disable 999', 'There is no portal account 999'],
])('%s: %s', async (words, problem) => {
  expect(await operator.admin(words)).toMatchObject({
    code: 1,
    err: expect.stringContaining(problem),
  });
});

test('an account of a merchant is of that merchant', async () => {
  const { id } = await makeMerchant(stack, { merchant_name: 'Till & Co' });
  const { password } = await operator.json(
    `access account create --email sara@till.example --merchant ${id}`,
  );
  const { client } = await signIn('sara@till.example', password);
  expect((await client.get('/portal/account')).html).toContain('Till &amp; Co');
});

test('a password of the operator’s making ends, and a chosen one does not', async () => {
  const { id } = await makePartner(stack);
  const brief = commandsOn({
    DATABASE_URL: stack.urlFor('operator'),
    PORTAL_ONE_TIME_PASSWORD_SECONDS: '0.001',
  });
  const email = 'late@shop.example';
  const made = await brief.json(`access account create --email ${email} --partner ${id}`);
  const client = portalClient(stack);
  const late = await client.signIn({ email, password: made.password });
  expect(late.status).toBe(403);
  expect(late.html).toContain('valid for the first sign-in only and has expired');
  expect(client.cookies.has('portal-session')).toBe(false);
  // Who does not know it is not told.
  expect((await client.signIn({ email, password: 'not the password' })).html).not.toContain(
    'ended',
  );

  const again = await brief.json(`access account reset-password ${made.accountId}`);
  expect((await signIn(email, again.password)).status).toBe(403);

  const { password } = await operator.json(`access account reset-password ${made.accountId}`);
  const { out } = await operator.admin(`access account list --partner ${id}`);
  expect(out).toContain('PASSWORD EXPIRES AT');
  const { client: person } = await signIn(email, password);
  const fields = { password, 'new-password': 'a password of my own' };
  await person.submit('/portal/account', '/portal/account/password', fields);
  const { password_expires_at } = await stack.database
    .selectFrom('portal_accounts')
    .select('password_expires_at')
    .where('id', '=', made.accountId)
    .executeTakeFirstOrThrow();
  expect(password_expires_at).toBeNull();
  expect((await signIn(email, 'a password of my own')).status).toBe(303);
});
