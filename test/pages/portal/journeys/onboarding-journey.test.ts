import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../src/local/processes.ts';
import { until } from '../../../support/until.ts';
import { PASSWORD, setInvitationScene } from '../invitation-scene.ts';
import { findAccessibilityProblems, openBrowser, takeScreenshots } from './browser.ts';

let scene: Awaited<ReturnType<typeof setInvitationScene>>;
let browser: Browser;
let directory: string;

beforeAll(async () => {
  // Links and commands name the address that people really use.
  scene = await setInvitationScene({ PORT: String(await freePort()) });
  browser = await openBrowser();
  directory = await mkdtemp(join(tmpdir(), 'onboarding-'));
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await rm(directory, { recursive: true, force: true });
  await scene?.stop();
});

/** What a person pastes into a shell. */
const inShell = async (commands: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-c', commands], { cwd: directory })).stdout;

describe.each([
  ['with scripts', true],
  ['without scripts', false],
] as const)('a developer of a merchant, %s,', (_name, javaScriptEnabled) => {
  test('goes from the mail to an accepted signed request by what the pages say', async () => {
    const { email, path } = await scene.invited();
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const referers: string[] = [];
    page.on('request', (request) => {
      request.allHeaders().then(
        ({ referer }) => referers.push(referer ?? ''),
        // Asked for when the browser was about to go.
        () => {},
      );
    });
    const look = async (name: string) => {
      if (!javaScriptEnabled) return;
      await takeScreenshots(page, name);
      expect.soft(await findAccessibilityProblems(page), name).toEqual([]);
    };
    const proceed = () => page.getByRole('link', { name: 'Getting started', exact: true }).click();

    await page.goto(`${scene.stack.sandbox.url}/mailbox?to=${email}`);
    await takeScreenshots(page, 'mailbox');
    await page.getByRole('link', { name: path }).click();
    await look('activate');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Activate the account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
    await look('getting-started');

    await page.getByRole('link', { name: 'Register an address' }).click();
    await page.getByRole('button', { name: 'Add 127.0.0.1' }).click();
    await page.getByText('127.0.0.1 is registered.').first().waitFor();

    await proceed();
    await inShell((await page.locator('pre').first().textContent()) ?? '');
    await page.getByRole('link', { name: 'Register a public key' }).click();
    const publicKey = await readFile(join(directory, 'public-key.pem'), 'utf8');
    await page.getByLabel('Paste the public key').fill(publicKey);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { level: 1, name: 'Prove that the key is yours' }).waitFor();
    await look('prove-public-key');
    const signature = await inShell((await page.locator('pre').first().textContent()) ?? '');
    await page.getByLabel('Signature').fill(signature.trim());
    await page.getByRole('button', { name: 'Register the key' }).click();
    await page.getByRole('status').getByText('is registered.').waitFor();

    await proceed();
    await page.getByRole('link', { name: 'Make a key' }).click();
    await page.getByLabel('Name of the key').fill('Till 1');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByLabel('Test key').inputValue();
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(
      javaScriptEnabled ? 1 : 0,
    );
    await page.getByRole('link', { name: 'I have copied it' }).click();

    await proceed();
    const commands = (await page.locator('pre').last().textContent()) ?? '';
    expect(commands).toContain(` http://localhost:${scene.stack.api.port}/api/v1/merchant`);
    await until(async () => {
      const answer = JSON.parse(await inShell(commands.replace('YOUR_KEY', key)));
      expect(answer).toMatchObject({ statusCode: 4041, success: false });
    });
    await until(async () => {
      await proceed();
      expect(await page.getByText('Done', { exact: true }).count()).toBe(4);
    });
    await look('getting-started-done');
    await page.getByRole('link', { name: 'Try it' }).first().click();
    await page.getByText('answered 4041').first().waitFor();
    expect(referers.length).toBeGreaterThan(10);
    expect(referers.filter((referer) => referer.includes('activate'))).toEqual([]);
  }, 150_000);
});

test('a link that does not work says what to do', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${scene.stack.url}/portal/activate/nothing`);
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await takeScreenshots(page, 'activate-dead');
  expect(await findAccessibilityProblems(page)).toEqual([]);
});
