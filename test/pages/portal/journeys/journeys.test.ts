import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureHeader } from '../../../../clients/typescript/src/index.ts';
import { addMerchant, addPartner } from '../../../../src/db/catalogue/companies.ts';
import { call } from '../../../support/clients.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { type Account, codeOf, makeAccount } from '../portal-client.ts';
import { look, openBrowser, openPage, takeScreenshots } from './browser.ts';

let stack: Stack;
let browser: Browser;
let directory: string;

beforeAll(async () => {
  stack = await startStack();
  browser = await openBrowser();
  directory = await mkdtemp(join(tmpdir(), 'portal-'));
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await rm(directory, { recursive: true, force: true });
  await stack?.stop();
});

/** A merchant that has nothing yet, as a new one is. */
async function newMerchant(name: string): Promise<Account & { readonly id: number }> {
  const id = await addMerchant(stack.database, {
    merchant_name: name,
    merchant_type: 'RETAIL',
    identifier_type: 1,
    identifier: name,
    email: 'till@merchant.example',
    phone: '+251911000000',
    address: 'Addis Ababa',
  });
  return { ...(await makeAccount(stack, { kind: 'merchant', id })), id };
}

/** What the browser complains of: a policy that is broken, a file that is missing. */
const complaints: string[] = [];

async function signIn(page: Page, account: Account): Promise<void> {
  await page.goto(`${stack.url}/portal`);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Signs the text that the page shows, and pastes the signature. */
async function prove(page: Page, privateKey: KeyObject): Promise<void> {
  const command = (await page.locator('pre').first().textContent()) ?? '';
  const [, challenge = ''] = /printf '%s' '([^']+)'/.exec(command) ?? [];
  const signature = sign('sha256', Buffer.from(challenge), privateKey).toString('base64');
  await page.getByLabel('Signature').fill(signature);
  await page.getByRole('button', { name: 'Register the key' }).click();
}

test('a new merchant goes from signing in to the first signed call', async () => {
  const account = await newMerchant('Habesha Books');
  const context = await browser.newContext();
  const page = await openPage(context, complaints);
  await signIn(page, account);
  await page.getByRole('link', { name: 'Make an API key' }).click();
  await page.getByLabel('Name of the key').fill('Till 1');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const key = await page.getByLabel('Test key').inputValue();
  expect(key).toMatch(/^gvs_test_/);
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(1);
  await page.getByRole('link', { name: 'I have copied it' }).click();

  const base = `${stack.url}/api/v1/merchant/client`;
  const logIn = () => call(`${base}/auth/login`, { body: { key } });
  expect((await logIn()).status).toBe(403);
  await page.getByRole('link', { name: 'Try it' }).click();
  await until(async () => {
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page.getByText('The address is not registered').waitFor({ timeout: 1_000 });
  });
  await page.getByRole('link', { name: 'Is 127.0.0.1 your server?' }).click();
  await page.getByText('your key was leaked').waitFor();
  await look(page, 'address-question');
  await page.getByRole('button', { name: 'It is ours: register 127.0.0.1' }).click();
  await page.getByText('127.0.0.1 is registered.').first().waitFor();

  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const file = join(directory, 'public-key.pem');
  await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
  await page.getByRole('link', { name: 'Keys and addresses' }).click();
  await page.getByLabel('Or choose its file').setInputFiles(file);
  await page.getByRole('button', { name: 'Go on' }).click();
  await prove(page, privateKey);
  await page.getByRole('status').getByText('is registered.').waitFor();

  const token: string = (await logIn()).body.accessToken;
  const body = JSON.stringify({ voucherCode: 'none', idempotencyKey: 'one' });
  const headers = { 'x-api-token': token, 'x-signature': signatureHeader(privateKey, body) };
  const claim = () => call(`${base}/topup-transactions/initiate-claim`, { body, headers });
  // The signature was accepted: only the voucher is not there.
  await until(async () => expect((await claim()).body.statusCode).toBe(4041));
  await page.getByRole('link', { name: 'Try it' }).click();
  await until(async () => {
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page.getByText('answered 4041 (no such voucher)').first().waitFor({ timeout: 1_000 });
  });
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(3);
  await look(page, 'try-it-called');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await context.close();
  expect(complaints).toEqual([]);
});

test('an owner sets up one-time passwords, signs in with one, and confirms a change', async () => {
  const account = await newMerchant('Secure Till');
  const context = await browser.newContext();
  const page = await openPage(context, complaints);
  await signIn(page, account);
  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await page.getByRole('link', { name: 'Set it up' }).click();
  await look(page, 'one-time-password-set-up');
  const secret = (await page.getByLabel('Secret', { exact: true }).inputValue()).replaceAll(
    ' ',
    '',
  );
  const enter = async (code: string, button: string) => {
    await page.getByRole('textbox', { name: 'One-time password' }).first().fill(code);
    await page.getByRole('button', { name: button }).click();
  };
  await enter('000000', 'Switch on');
  await page.getByText('This is not the code of this secret').waitFor();
  await enter(codeOf(secret), 'Switch on');
  await page.getByRole('heading', { name: 'One-time passwords are on' }).waitFor();
  const recoveryCodes = await page.locator('.recovery-codes code').allTextContents();
  expect(recoveryCodes).toHaveLength(10);
  await look(page, 'recovery-codes');
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.getByRole('link', { name: 'Passkeys, one-time passwords' }).click();
  await page.getByText('You have 10 of them left').waitFor();
  await look(page, 'one-time-password-on');
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('button', { name: 'Require it of everybody' }).click();
  await page.getByText('Everybody needs a second factor now.').waitFor();
  await look(page, 'people-with-second-factors');
  await page.getByRole('button', { name: 'Sign out' }).click();

  await signIn(page, account);
  await page.getByText('Your password is right').waitFor();
  await look(page, 'one-time-password');
  await enter(codeOf(secret), 'Sign in');
  // The code of the set-up is used, unless the app shows the next one already.
  if (await page.getByText('This code was used already').isVisible())
    await enter(codeOf(secret, 1), 'Sign in');
  await page.getByRole('heading', { name: 'Secure Till' }).waitFor();
  await stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute();
  await page.getByRole('link', { name: 'Keys and addresses' }).click();
  await page.getByLabel('Name of the key').fill('Till 1');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await look(page, 'confirmation');
  await enter(recoveryCodes[0] ?? '', 'Confirm and continue');
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();

  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await page.getByLabel('Language').selectOption('አማርኛ');
  await page.getByRole('button', { name: 'Change the language' }).click();
  await page.getByRole('heading', { name: 'መለያ' }).waitFor();
  await look(page, 'account-amharic');
  await page.getByRole('link', { name: 'ሰዎች' }).click();
  await page.getByRole('heading', { name: 'ሰዎች' }).waitFor();
  await look(page, 'people-amharic');
  await page.getByRole('link', { name: 'ክፍያዎች' }).click();
  await look(page, 'payouts-amharic');
  expect(complaints).toEqual([]);
  await context.close();
});

describe('every page', () => {
  test('of a merchant can be seen on a phone, and read by everybody', async () => {
    const account = await newMerchant('Abyssinia Coffee House & Roastery');
    const page = await openPage(await browser.newContext(), complaints);
    await page.goto(`${stack.url}/portal`);
    await look(page, 'sign-in');
    await signIn(page, { ...account, password: 'not the password' });
    await look(page, 'sign-in-refused');
    await signIn(page, account);
    await look(page, 'overview');
    const open = async (path: string, name: string) => {
      await page.goto(`${stack.url}/portal/${path}`);
      await look(page, name);
    };
    await open('access', 'access-none');
    await page.getByLabel('Name of the key').fill('Web shop');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await look(page, 'key-new');
    const key = await page.getByLabel('Test key').inputValue();
    await call(`${stack.url}/api/v1/merchant/client/auth/login`, { body: { key } });
    await open('access', 'access-key');
    await page.getByRole('link', { name: 'Copy Web shop' }).click();
    await page.getByLabel('Current password').fill('not the password');
    await page.getByRole('button', { name: 'Show the key' }).click();
    await look(page, 'key-copy-refused');
    await page.getByLabel('Current password').fill(account.password);
    await page.getByRole('button', { name: 'Show the key' }).click();
    expect(await page.getByLabel('Test key').inputValue()).toBe(key);
    await look(page, 'key-copied');
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Rotate' }).click();
    await look(page, 'key-rotate');
    await page.getByRole('button', { name: 'Make the new key' }).click();
    await page.goto(`${stack.url}/portal/access#keys`);
    await page.getByRole('link', { name: 'Revoke' }).first().click();
    await look(page, 'key-revoke');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await look(page, 'keys-revoked');
    await page.getByLabel('Address', { exact: true }).fill('https://shop.example');
    await page.getByRole('button', { name: 'Add the address' }).click();
    await look(page, 'addresses-refused');
    await page.getByLabel('Address', { exact: true }).fill('203.0.113.0/28');
    await page.getByRole('button', { name: 'Add the address' }).click();
    await look(page, 'addresses');
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const paste = async (pem: string | Buffer) => {
      await page.getByLabel('Paste the public key').fill(pem.toString());
      await page.getByRole('button', { name: 'Go on' }).click();
    };
    await paste(privateKey.export({ type: 'sec1', format: 'pem' }));
    await look(page, 'public-keys-private');
    await paste(publicKey.export({ type: 'spki', format: 'pem' }));
    await look(page, 'public-keys-proof');
    await prove(page, privateKey);
    await look(page, 'public-keys');
    await open('try-it', 'try-it');
    await open('activity', 'activity');
    await open('account', 'account');
    await open('nothing', 'not-found');
    expect(complaints).toEqual([]);
  });

  test('of a partner, too, and of one that is suspended', async () => {
    const id = await addPartner(stack.database, 'Sheba Gifts International');
    const account = await makeAccount(stack, { kind: 'partner', id });
    const page = await openPage(await browser.newContext(), complaints);
    await signIn(page, account);
    await look(page, 'overview-partner');
    await stack.database
      .updateTable('partners')
      .set({ status: 'SUSPENDED' })
      .where('id', '=', id)
      .execute();
    await page.reload();
    await look(page, 'suspended');
  });

  test('can be used by the keyboard alone', async () => {
    const account = await newMerchant('Keyboard House');
    const page = await openPage(await browser.newContext(), complaints);
    await page.goto(`${stack.url}/portal`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(account.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(account.password);
    await page.keyboard.press('Enter');
    await page.getByText(`Signed in as ${account.email}`).waitFor();
  });

  test('has its menu behind a link on a phone', async () => {
    const account = await newMerchant('Phone House');
    const page = await openPage(
      await browser.newContext({ viewport: { width: 375, height: 700 } }),
      complaints,
    );
    await signIn(page, account);
    const keys = page.getByRole('link', { name: 'Keys and addresses' });
    expect(await keys.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    await takeScreenshots(page, 'menu');
    await keys.click();
    await page.getByRole('heading', { level: 1, name: 'Keys and addresses' }).waitFor();
    expect(await keys.isVisible()).toBe(false);
  });
});
