import { generateKeyPairSync } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signatureHeader } from '../../../../clients/typescript/src/index.ts';
import type { Company } from '../../../../src/domain/vouchers/voucher.ts';
import { makeMerchant, makePartner } from '../../../support/companies.ts';
import type { Stack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { makeAccount } from '../portal-client.ts';
import { look, openBrowser, openPage, startStackForBrowser } from './browser.ts';

/** The console of "Try it": calls from the browser, as a partner and as a merchant. */
let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  stack = await startStackForBrowser();
  browser = await openBrowser();
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const complaints: string[] = [];
/** Everything that the browser sends. */
const sent: string[] = [];

async function openConsole(company: Company): Promise<Page> {
  const account = await makeAccount(stack, company);
  const page = await openPage(await browser.newContext(), complaints);
  page.on('request', (request) => {
    sent.push([request.url(), ...Object.values(request.headers()), request.postData()].join('\n'));
  });
  await page.goto(`${stack.url}/portal`);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Try it' }).first().click();
  await page.getByRole('heading', { name: 'Console' }).waitFor();
  return page;
}

async function logIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Test key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('200 OK').waitFor();
}

/** Chooses a call; what shows its form and its answer. */
async function choose(page: Page, call: string) {
  await page.locator('[data-choice]').selectOption(call);
  return page.locator(`[data-call="${call}"]`);
}

test('a partner calls from the console, and sees why a call is refused', async () => {
  const partner = await makePartner(stack);
  const page = await openConsole({ kind: 'partner', id: partner.id });
  await logIn(page, partner.apiKey);
  const balance = await choose(page, 'GET /info/get-current-balance');
  await balance.getByRole('button', { name: 'Send' }).click();
  await balance.getByText('"walletBalance"').waitFor();
  expect(await page.getByText('Private key').count()).toBe(0);

  const topup = await choose(page, 'POST /topup-transactions/airtime-topup');
  expect(await balance.isVisible()).toBe(false);
  await topup.getByLabel('Body').fill('{"msisdn": "0911234567", "amount": "much"}');
  await topup.getByRole('button', { name: 'Send' }).click();
  await topup.locator('.badge.warning').getByText('400').waitFor();
  await topup.locator('.message.danger').getByText('amount: ').waitFor();
  await look(page, 'console-partner');
  await topup.getByRole('link', { name: 'What this code means' }).click();
  await page.waitForURL('**/docs/errors#partner-400-request-invalid');
  expect(complaints).toEqual([]);
});

test('a merchant signs in the browser, and learns which mistake a wrong signature was', async () => {
  const merchant = await makeMerchant(stack);
  const page = await openConsole({ kind: 'merchant', id: merchant.id });
  await logIn(page, merchant.apiKey);
  expect(await page.getByLabel('Private key (PEM)').isVisible()).toBe(false);
  const claim = await choose(page, 'POST /topup-transactions/initiate-claim');
  const refusal = claim.locator('.message.danger');
  const send = () => claim.getByRole('button', { name: 'Send' }).click();
  await send();
  await refusal.getByText('paste or choose your private key first').waitFor();

  const sec1 = merchant.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  await page.getByLabel('Or its file').setInputFiles({
    name: 'private-key.pem',
    mimeType: 'application/x-pem-file',
    buffer: Buffer.from(sec1),
  });
  await until(async () => {
    const key = await page.getByLabel('Private key (PEM)').inputValue();
    expect(key).toContain('BEGIN EC PRIVATE KEY');
  });
  await send();
  await claim.getByText('statusCode 4041').waitFor();
  await claim.getByText('↵').first().waitFor();

  const covers = page.getByLabel('What is signed');
  await covers.selectOption('unseparated');
  await send();
  await refusal.getByText('signed without a line feed between them').waitFor();
  await look(page, 'console-merchant');
  await covers.selectOption('escaped');
  await send();
  await refusal.getByText('The two characters \\n (backslash and n)').waitFor();
  await covers.selectOption('body');
  const pkcs8 = merchant.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await page.getByLabel('Private key (PEM)').fill(pkcs8);
  await send();
  await claim.getByText('statusCode 4041').waitFor();

  for (const [type, complaint] of [
    ['prime256v1', 'not one on secp256k1'],
    ['secp256k1', 'matches neither'],
  ] as const) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: type });
    await page
      .getByLabel('Private key (PEM)')
      .fill(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    await send();
    await refusal.getByText(complaint).waitFor();
  }

  const body = '{"voucherCode":"0000-0000-0000-0001","idempotencyKey":"own-program"}';
  await claim.getByLabel('Body').fill(body);
  await page
    .getByLabel('Or x-signature of your own program')
    .fill(signatureHeader(merchant.privateKey, body));
  await send();
  await claim.getByText('statusCode 4041').waitFor();

  await page.reload();
  expect(await page.getByLabel('Private key (PEM)').inputValue()).toBe('');
  const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
  const { d = 'none' } = merchant.privateKey.export({ format: 'jwk' });
  const hidden = [
    ...[sec1, pkcs8].map((pem) => pem.split('\n')[1] ?? 'none'),
    Buffer.from(d, 'base64url').toString('hex'),
  ];
  for (const part of hidden) expect(`${sent.join('\n')}${stored}`).not.toContain(part);
  await until(async () => {
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page
      .locator('.badge.warning')
      .getByText('answered 4041')
      .first()
      .waitFor({ timeout: 1_000 });
  });
  await look(page, 'console-log');
  expect(complaints).toEqual([]);
});
