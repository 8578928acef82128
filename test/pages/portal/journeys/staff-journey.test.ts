import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../src/local/processes.ts';
import { done, newOwner } from '../../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../../end-to-end/gift/redemption-scene.ts';
import { takenBack } from '../../../positions/placements.ts';
import { makeStaff } from '../../staff/staff-client.ts';
import { look, openBrowser } from './browser.ts';
import { signInFirst } from './staff-browser.ts';

/** A support agent signs in for the first time, and finds what happened to a customer. */

let scene: RedemptionScene;
let browser: Browser;
beforeAll(async () => {
  const port = String(await freePort());
  scene = await setRedemptionScene({
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    TEMPORAL_UI_URL: 'https://temporal.example',
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

test('an agent signs in, finds the cases of a number, reads one, and shows the number', async () => {
  const owner = newOwner();
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ owner, merchant, denomination: 500 });
  const code = await scene.claimed(client, gift);
  done(await redeem(client, gift, { verificationCode: code }));
  const claimed = await scene.gift({ owner, merchant, denomination: 500 });
  await scene.claimed(client, claimed, { amount: 200 });

  const { url } = scene.stack;
  const account = await makeStaff(scene.stack);
  const page = await browser.newPage();
  await page.goto(`${url}/support`);
  await look(page, 'support-sign-in');
  await signInFirst(page, account);
  await page.getByRole('link', { name: /^Desk/ }).click();
  await look(page, 'support-find');

  await page.getByLabel('Number, code, reference, name or e-mail').fill(owner);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('heading', { name: 'Newest first' }).waitFor();
  expect(page.url()).not.toContain(owner.slice(4));
  await look(page, 'support-results');

  await page
    .getByRole('link', { name: /^Voucher [0-9]/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Next' }).waitFor();
  await look(page, 'support-case-claimed');
  for (const part of ['Other repairs', 'What happened', 'How the money moved'])
    await page.locator('summary', { hasText: part }).click();
  await page.locator('summary', { hasText: 'Cancel the claim' }).click();
  await look(page, 'support-case-unfolded');
  await page.goto(`${url}/support/vouchers/${gift.id}`);
  await look(page, 'support-case-redeemed');
  await page.locator('summary', { hasText: 'The voucher' }).click();
  await page.getByRole('button', { name: 'Show the number' }).click();
  expect(await page.textContent('main')).toContain(owner);
  await look(page, 'support-number');
  await page.getByRole('link', { name: 'Guide', exact: true }).click();
  await look(page, 'support-guide');
});

test('an operator looks for the open cases, reads one, and settles it', async () => {
  const { stack } = scene;
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ owner: null, merchant });
  done(await redeem(client, gift));
  const { operation_id: operationId } = await stack.database
    .selectFrom('redemptions')
    .select('operation_id')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  await takenBack(stack.database, operationId);
  const page = await browser.newPage();
  await page.goto(`${stack.url}/support`);
  await signInFirst(page, await makeStaff(stack, 'OPERATOR'));
  await page.getByRole('link', { name: 'Open cases', exact: true }).click();
  await page.getByLabel('Provider').selectOption('gsma');
  await page.getByRole('button', { name: 'Show' }).click();
  await look(page, 'support-cases');
  await page
    .getByRole('link', { name: /: A provider took it back$/ })
    .first()
    .click();
  await look(page, 'support-case');
  await page.getByRole('radio', { name: 'The voucher gets back' }).check();
  await page.getByLabel('Ticket, and why').fill('They paid it back, receipt 4711');
  await page.getByRole('button', { name: 'Book it' }).click();
  await page.getByText('The voucher gets back').waitFor();
  await look(page, 'support-case-settled');
});

test('the desk with a filter loads itself again', async () => {
  const { url } = scene.stack;
  const page = await browser.newPage();
  await page.goto(`${url}/support`);
  await signInFirst(page, await makeStaff(scene.stack));
  await page.clock.install();
  await page.goto(`${url}/support?who=nobody`);
  const loaded = page.waitForEvent('load');
  await page.clock.runFor('01:01');
  await loaded;
  expect(page.url()).toBe(`${url}/support?who=nobody`);
});
