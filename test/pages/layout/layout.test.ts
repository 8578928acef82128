import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { hiddenFields, makeAccount, signedIn } from '../portal/portal-client.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

test('there is no menu while the password is to be changed first', async () => {
  const { id } = await makePartner(stack);
  for (const mustChangePassword of [true, false]) {
    const account = await makeAccount(stack, { kind: 'partner', id }, { mustChangePassword });
    const { html } = await (await signedIn(stack, account)).get('/portal/account');
    expect(html.includes('<nav')).toBe(!mustChangePassword);
    expect(html.includes('href="#menu"')).toBe(!mustChangePassword);
  }
});

test('who signs out after the session has ended is signed out', async () => {
  const { id } = await makePartner(stack);
  const client = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
  const fields = hiddenFields((await client.get('/portal')).html, '/portal/sign-out');
  expect(await client.post('/portal/sign-out', fields)).toMatchObject({ status: 303 });
  const again = await client.post('/portal/sign-out', fields);
  expect(again).toMatchObject({ status: 303, location: '/portal/sign-in?out=yes' });
  const other = await client.post('/portal/addresses', fields);
  expect(other.location).toBe('/portal/sign-in?ended=yes');
});
