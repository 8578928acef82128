import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findAccessibilityProblems,
  openBrowser,
  startStackForBrowser,
  takeScreenshots,
} from '../pages/portal/journeys/browser.ts';
import { makePartner } from '../support/companies.ts';
import type { Stack } from '../support/stack.ts';
import { findTableProblems } from './table-problems.ts';

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

/** Whether the whole of it is between the upper and the lower edge of the window, or it fills the window. */
const isInView = async (shown: Locator): Promise<boolean> => {
  const box = await shown.boundingBox();
  const height = shown.page().viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + Math.min(box.height, height) <= height + 1;
};

test('an integrator reads, searches and tries a call, at a desk and on a phone', async () => {
  const partner = await makePartner(stack);
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const menu = page.getByRole('navigation', { name: 'Documentation' });
  const look = async (name: string) => {
    await takeScreenshots(page, name);
    expect.soft(await findAccessibilityProblems(page), name).toEqual([]);
  };

  await page.goto(`${stack.url}/docs`);
  await look('docs-home');
  await page.getByRole('main').getByRole('link', { name: 'Sign requests' }).click();
  await page.getByRole('tab', { name: 'Java', exact: true }).click();
  await page.getByRole('tabpanel').getByText('Signature.getInstance').waitFor();
  await look('docs-guide');
  await page.getByLabel('Search the documentation').fill('balance');
  await page.getByRole('button', { name: 'Search' }).click();
  await look('docs-search');
  const found = page.getByRole('main').getByRole('link', { name: /^Read the wallet balances/ });
  await found.click();
  await look('docs-operation');

  const tryIt = async (link: string, body?: object) => {
    await menu.getByRole('link', { name: link, exact: true }).click();
    await page.getByText('Try it', { exact: true }).click();
    if (body) await page.getByLabel('Body').fill(JSON.stringify(body));
    await page.getByRole('button', { name: 'Send' }).click();
    return page.locator('[data-answer]');
  };
  const loggedIn = await tryIt('Obtain an access token', { key: partner.apiKey });
  await loggedIn.getByText('200 OK').waitFor();
  const balance = await tryIt('Read the wallet balances');
  await balance.getByText('"walletBalance"').waitFor();

  await menu.getByRole('link', { name: 'All endpoints' }).click();
  await look('docs-reference');
  for (const name of ['Errors', 'Downloads', 'Changelog']) {
    await menu.getByRole('link', { name, exact: true }).click();
    await look(`docs-${name.toLowerCase()}`);
  }
  expect(problems).toEqual([]);
});

test('a language that is chosen is shown on every page, a program is copied, and lists follow', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  await page.goto(`${stack.url}/docs/reference/partner/generate-voucher`);
  const programs = page.getByRole('tabpanel');
  expect(await programs.textContent()).toContain('curl');
  await page.getByRole('tab', { name: 'Shell' }).press('ArrowRight');
  expect(await programs.textContent()).toContain('fetch(');
  await programs.getByRole('button', { name: 'Copy' }).click();
  await programs.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toMatch(/^const response = await fetch\([\s\S]+json\(\)\);$/);

  // Request and menu are beside the text, and stay there while it is read.
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, 1_500);
  const menu = page.getByRole('navigation', { name: 'Documentation' });
  for (const shown of [programs, menu.locator('[aria-current]')])
    await expect.poll(() => isInView(shown)).toBe(true);
  const [text, example] = [page.locator('.text').first(), page.locator('.examples')];
  const [left, right] = [await text.boundingBox(), await example.boundingBox()];
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThan(right?.x ?? 0);

  await page.goto(`${stack.url}/docs/guides/sign-requests#public-keys`);
  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Node.js');
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.locator('.is-here').waitFor();
  expect(await isInView(contents)).toBe(true);
  await context.close();
});

test('without scripts every program is shown under its language', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${stack.url}/docs/reference/merchant/redeem-voucher`);
  for (const language of ['Shell', 'Node.js', 'Python'])
    expect(await page.getByText(language, { exact: true }).isVisible()).toBe(true);
  for (const word of ['curl -s', 'await fetch', 'requests.post'])
    expect(await page.locator('pre', { hasText: word }).isVisible()).toBe(true);
});

test('every table of every page is whole on a phone, a tablet and a desk', async () => {
  const page = await browser.newPage();
  const waiting = ['/docs'];
  const seen = new Set(waiting);
  const problems: string[] = [];
  let tables = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    await page.goto(stack.url + path);
    const found = await findTableProblems(page);
    tables += found.tables;
    problems.push(...found.problems.map((problem) => `${path} at ${problem}`));
    const links: string[] = await page
      .locator('a[href^="/docs"]')
      .evaluateAll((all) => all.map((one) => (one as unknown as { pathname: string }).pathname));
    const pages = links.filter((link) => !link.includes('.') && !link.includes('/SHA256'));
    waiting.push(...[...new Set(pages)].filter((link) => !seen.has(link)));
    for (const link of pages) seen.add(link);
  }
  expect(tables).toBeGreaterThan(30);
  expect(problems).toEqual([]);
});
