import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, makeAccount } from '../portal-client.ts';
import { findAccessibilityProblems, openBrowser, takePicture, takeScreenshots } from './browser.ts';
import { type BusinessScene, setBusinessScene } from './business-scene.ts';

let scene: BusinessScene;
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
  scene = await setBusinessScene();
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

/** What the browser complains of: a policy that is broken, a file that is missing. */
const complaints: string[] = [];

async function signIn(account: Account, javaScriptEnabled: boolean): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${scene.stack.url}/portal`);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

const choose = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name }).click();

const showFiltered = (page: Page) => page.getByRole('button', { name: 'Show' }).click();

test('a partner without scripts finds out where its money went', async () => {
  const account = await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id });
  const page = await signIn(account, false);
  await choose(page, 'Balances');
  await page.getByRole('link', { name: 'Statement of the gift wallet' }).click();
  await page.getByRole('link', { name: /cancelled, its rest returned/ }).click();
  await page.getByText('was returned to the gift wallet').waitFor();
  await choose(page, 'Vouchers');
  await page.getByLabel('State').selectOption('Redeemed');
  await showFiltered(page);
  await page.getByText('1–1 of 1').waitFor();
  await page.locator('td a').click();
  await page.getByText('was paid ETB 487.50').waitFor();
  await choose(page, 'Top-ups');
  await page.getByLabel('Kind').selectOption('Package');
  await showFiltered(page);
  await page.getByText('1–1 of 1').waitFor();
  expect(complaints).toEqual([]);
});

test('every page of business can be seen on a phone, and read by everybody', async () => {
  const { stack, partner, merchant, gifts, topups } = scene;
  const pages = {
    partner: {
      'overview-of-partner': '',
      balances: '/balances',
      statement: '/balances/gift',
      'statement-refused': '/balances/gift?from=2026-02-30',
      'statement-empty': '/balances/gift?from=2026-01-01&to=2026-01-31',
      vouchers: '/vouchers',
      'vouchers-none': '/vouchers?state=EXPIRED',
      voucher: `/vouchers/${gifts.refused.id}`,
      'top-ups': '/top-ups',
      'top-up': `/top-ups/${topups.failed.transactionId}`,
      sales: '/sales',
      'voucher-cancel': `/vouchers/${gifts.part.id}/cancel`,
      'top-up-retry': `/top-ups/${topups.failed.transactionId}/retry`,
      prices: '/prices',
      price: `/prices/${partner.denominations.unpriced}`,
      packages: '/packages',
      'low-balance': '/balances/gift/low-balance',
      sell: '/sell',
      'sell-voucher': '/sell/voucher',
      'sell-airtime': '/sell/airtime',
      'sell-package': '/sell/package',
      'order-in-bulk': '/order-in-bulk',
      'bulk-orders': '/bulk-orders',
    },
    merchant: { 'overview-of-merchant': '', redemptions: '/redemptions', payouts: '/payouts' },
  };
  for (const kind of ['partner', 'merchant'] as const) {
    const company = { kind, id: kind === 'partner' ? partner.id : merchant.id };
    const page = await signIn(await makeAccount(stack, company), true);
    for (const [name, path] of Object.entries(pages[kind])) {
      await page.goto(`${stack.url}/portal${path}`);
      await takeScreenshots(page, name);
      expect(await findAccessibilityProblems(page), name).toEqual([]);
    }
    await page.setViewportSize({ width: 800, height: 900 });
    await page.goto(`${stack.url}/portal/${kind === 'partner' ? 'vouchers' : 'redemptions'}`);
    expect(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      'on a tablet it is wider than the screen',
    ).toBeLessThanOrEqual(0);
  }
  // The browser itself reports the 422 of the statement that was refused.
  expect(complaints.filter((text) => !text.includes('the server responded with'))).toEqual([]);
});

test('somebody of finance orders in bulk, cancels a voucher and retries a top-up', async () => {
  const { stack, partner, merchant, gifts, topups } = scene;
  const company = { kind: 'partner', id: partner.id } as const;
  const page = await signIn(await makeAccount(stack, company, { role: 'finance' }), true);
  const look = async (name: string) => {
    await takeScreenshots(page, name);
    expect(await findAccessibilityProblems(page), name).toEqual([]);
  };
  const press = (name: string) => page.getByRole('button', { name }).click();

  await choose(page, 'Bulk orders');
  await page.getByRole('link', { name: 'Order vouchers in bulk' }).click();
  const header = 'reference,amount,merchant,phone,restricted';
  const line = (reference: string, amount: number) =>
    `${reference},${amount},${merchant.identifier},0911000050,yes`;
  await page.getByLabel('Or pasted rows').fill([header, line('a', 500), line('b', 7)].join('\n'));
  await press('Check the lines');
  await page.getByText('Line 3: amount is none of your denominations').waitFor();
  await look('bulk-problems');
  await page.getByLabel('CSV file').setInputFiles({
    name: 'may.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from([header, line('a', 500), line('b', 100)].join('\r\n')),
  });
  await press('Check the lines');
  await page.getByRole('heading', { name: 'Order 2 vouchers for ETB 600.00?' }).waitFor();
  await look('bulk-preview');
  await press('Order the vouchers');
  await page.getByText('The order of 2 vouchers was accepted.').waitFor();
  // The page of a running order loads itself again.
  await page.getByRole('heading', { name: /Bulk order \d+ Done/ }).waitFor();
  await look('bulk-order');
  const download = page.waitForEvent('download');
  await press('Download the result with codes');
  expect((await download).suggestedFilename()).toMatch(/^bulk-order-\d+\.csv$/);

  await page.goto(`${stack.url}/portal/vouchers/${gifts.part.id}`);
  await page.getByRole('link', { name: 'Cancel the voucher' }).click();
  await page.getByText('ETB 692.50 goes back to your gift wallet').waitFor();
  await press('Cancel the voucher');
  await page.getByText('The voucher is cancelled.').waitFor();

  await page.goto(`${stack.url}/portal/top-ups/${topups.failed.transactionId}`);
  await page.getByRole('link', { name: 'Retry the top-up' }).click();
  await page.getByLabel('Another number').fill('0911000059');
  await press('Retry the top-up');
  await page.getByText('The top-up was delivered.').waitFor();
});

test('somebody of finance sells a voucher and sends airtime on a phone, without scripts', async () => {
  const { stack, partner, merchant } = scene;
  const company = { kind: 'partner', id: partner.id } as const;
  const page = await signIn(await makeAccount(stack, company, { role: 'finance' }), false);
  await page.setViewportSize({ width: 390, height: 844 });
  const press = (name: string) => page.getByRole('button', { name }).click();

  await page.goto(`${stack.url}/portal/sell`);
  await page.getByRole('link', { name: 'Sell a voucher' }).click();
  await page.getByLabel('Voucher', { exact: true }).selectOption('ETB 100.00');
  await page.getByLabel('Merchant').fill('NOBODY');
  await page.getByLabel('Phone number of the owner').fill('0911000080');
  await press('Show what it costs');
  await page.getByText('There is no active merchant with this id or identifier').waitFor();
  await takePicture(page, 'sell-refused-390');
  await page.getByLabel('Merchant').fill(merchant.identifier);
  await press('Show what it costs');
  await page.getByRole('heading', { name: 'Confirm the sale' }).waitFor();
  await takePicture(page, 'sell-quote-390');
  await press('Sell it');
  await page.getByRole('heading', { name: 'The voucher is sold' }).waitFor();
  const code = await page.getByLabel('Voucher code').inputValue();
  await takePicture(page, 'sell-sold-390');
  // The browser sends the form of the sale again.
  await page.reload();
  await page.getByText('It sold once.').waitFor();
  expect(await page.getByLabel('Voucher code').inputValue()).toBe(code);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByText('Generated for').waitFor();

  await page.goto(`${stack.url}/portal/sell/airtime`);
  await page.getByLabel('Amount in ETB').fill('1,0');
  await page.getByLabel('Phone number').fill('12');
  await page.getByLabel('ETB for one USD').fill('57.25');
  await page.getByLabel('Currency').fill('usd');
  await page.getByLabel('Country').fill('America');
  await press('Show what it costs');
  await page.getByText('Enter a mobile number').waitFor();
  await takePicture(page, 'sell-problems-390');
  await page.getByLabel('Amount in ETB').fill('60');
  await page.getByLabel('Phone number').fill('0911000081');
  await press('Show what it costs');
  await press('Sell it');
  await page.getByText('The top-up was delivered.').waitFor();
  expect(page.url()).toMatch(/\/portal\/top-ups\/\d+$/);
});
