import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  isSigned,
  setWebhookScene,
  type WebhookScene,
} from '../../../end-to-end/webhooks/webhook-scene.ts';
import { until } from '../../../support/until.ts';
import { makeAccount } from '../portal-client.ts';
import { findAccessibilityProblems, openBrowser, takeScreenshots } from './browser.ts';

let scene: WebhookScene;
let browser: Browser;

beforeAll(async () => {
  scene = await setWebhookScene();
  browser = await openBrowser();
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

test('a person adds a webhook, tests it, sees a failure and sends it again', async () => {
  let isUp = true;
  const shop = await scene.receiver((response) =>
    response.writeHead(isUp ? 200 : 503).end(isUp ? 'thanks' : 'out of order'),
  );
  const account = await makeAccount(scene.stack, scene.company);
  const page = await (await browser.newContext()).newPage();
  const look = async (name: string) => {
    await takeScreenshots(page, name);
    expect.soft(await findAccessibilityProblems(page), name).toEqual([]);
  };
  await page.goto(`${scene.stack.url}/portal`);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await look('webhooks-none');
  await page.getByLabel('Address').fill(`${shop.url}/hooks`);
  await page.getByLabel('Description').fill('Web shop');
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  const secret = await page.getByLabel('Secret').inputValue();
  await look('webhook-secret');
  await page.getByRole('link', { name: 'I have copied it' }).click();

  await page.getByRole('button', { name: 'Send a test event' }).click();
  await until(async () => {
    await page.reload();
    await page.getByText('Delivered').waitFor({ timeout: 1_000 });
  });
  const [got] = shop.received;
  expect(got && isSigned(got, secret)).toBe(true);

  isUp = false;
  await scene.addEvents(['voucher:17']);
  await until(async () => {
    await page.reload();
    await page.getByText('The receiver answered 503.').waitFor({ timeout: 1_000 });
  });
  await look('webhook-failing');
  isUp = true;
  await until(async () => {
    await page.reload();
    await page
      .getByRole('button', { name: 'Send again voucher.expired' })
      .click({ timeout: 1_000 });
  });
  await page.getByText('Events that are sent again: 1.').first().waitFor();
  await until(() => expect(shop.received.length).toBeGreaterThanOrEqual(4));
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: /as CSV/ }).click();
  expect((await download).suggestedFilename()).toMatch(/^webhook-\d+-deliveries\.csv$/);
  await page.getByLabel('Made from').fill('2026-01-01T00:00');
  await page.getByLabel('Made before').fill('2026-01-02T00:00');
  await page.getByRole('button', { name: 'Send those of this time' }).click();
  await page
    .getByText('Nothing was sent again: no delivery matches, or the webhook is not active.')
    .waitFor();
  await look('webhook-delivered');
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await look('webhooks');
});
