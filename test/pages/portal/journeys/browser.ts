import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { freePort } from '../../../../src/local/processes.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Ignored by git; what a person looks at when a page changes. */
const SCREENSHOTS = '.test/screenshots';

/** Installs Debian's Chromium where there is none and that is possible. */
function requireChromium(): void {
  if (existsSync(CHROMIUM)) return;
  for (const words of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']])
    spawnSync('apt-get', words, { stdio: 'ignore', timeout: 240_000 });
  if (existsSync(CHROMIUM)) return;
  throw new Error(
    `The journeys through the portal need ${CHROMIUM}, which is not there and could not be ` +
      'installed: run "apt-get install chromium" as root, then run the tests again.',
  );
}

/** Starts a browser; it is closed by whoever asked for it. */
export async function openBrowser(): Promise<Browser> {
  requireChromium();
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** A stack whose pages name the address that the browser really uses. */
export async function startStackForBrowser(): Promise<Stack> {
  const port = String(await freePort());
  return startStack({ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` });
}

/** Opens a page, and collects what the browser complains of: a policy that is broken, a file that is missing. */
export async function openPage(context: BrowserContext, complaints: string[]): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) => {
    // The browser itself reports statuses such as 422 of a form.
    if (message.type() === 'error' && !message.text().includes('the server responded with'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return page;
}

/** Devices that people have: a desk, and a small phone. */
const devices = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 375, height: 740 },
} as const;

/** Keeps a picture of the whole page as it is. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Keeps a picture of the whole page as it looks on each device. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize();
  for (const [device, size] of Object.entries(devices)) {
    await page.setViewportSize(size);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${device}.png`), fullPage: true });
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow, `${name} on a ${device} is wider than the screen`).toBe(0);
  }
  if (before) await page.setViewportSize(before);
}

const axe = readFileSync(
  join(createRequire(import.meta.url).resolve('axe-core/package.json'), '..', 'axe.min.js'),
  'utf8',
);

/** What axe-core looks at: everything in light, and in dark the colours, which alone differ. */
const lookedAt = {
  light: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const;

/** What axe-core finds wrong that people would suffer from; in light and in dark. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  // Past the page's policy, as a debugger does.
  await page.evaluate(axe);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = (await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(lookedAt[colorScheme])} })`,
    )) as { violations: { id: string; impact: string; nodes: { html: string }[] }[] };
    problems.push(
      ...violations
        .filter(({ impact }) => impact !== 'minor')
        .map(
          ({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
        ),
    );
  }
  return problems;
}

/** Looks at a page as people with and without good eyes do. */
export async function look(page: Page, name: string): Promise<void> {
  await takeScreenshots(page, name);
  // Soft: one run names what is wrong with all pages.
  expect.soft(await findAccessibilityProblems(page), name).toEqual([]);
}
