import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findAccessibilityProblems,
  openBrowser,
  startStackForBrowser,
  takeScreenshots,
} from '../portal/journeys/browser.ts';
import { makePartner } from '../support/companies.ts';
import type { Stack } from '../support/stack.ts';

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

test('an integrator reads, searches and tries a call, at a desk and on a phone', async () => {
  const partner = await makePartner(stack);
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const look = async (name: string) => {
    await takeScreenshots(page, name);
    expect.soft(await findAccessibilityProblems(page), name).toEqual([]);
  };

  await page.goto(`${stack.url}/docs`);
  await look('docs-home');
  await page.getByRole('link', { name: 'Partners: the first call in five minutes' }).click();
  await look('docs-guide');
  await page.getByLabel('Search the documentation').fill('balance');
  await page.getByRole('button', { name: 'Search' }).click();
  await look('docs-search');
  await page.getByRole('link', { name: /^Read the wallet balances/ }).click();
  await look('docs-reference');

  const operation = (anchor: string) => page.locator(`#${anchor}`);
  const login = operation('post-auth-login');
  await login.getByText('Try it').click();
  await login.getByLabel('Body').fill(JSON.stringify({ key: partner.apiKey }));
  await login.getByRole('button', { name: 'Send' }).click();
  await login.locator('[data-answer]').getByText('200 OK').waitFor();

  const balance = operation('get-info-get-current-balance');
  await balance.getByText('Try it').click();
  await balance.getByRole('button', { name: 'Send' }).click();
  await balance.locator('[data-answer]').getByText('"walletBalance"').waitFor();

  await page.goto(`${stack.url}/docs/errors#merchant-4091`);
  await look('docs-errors');
  expect(problems).toEqual([]);
});
