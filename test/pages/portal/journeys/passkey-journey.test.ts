import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../src/local/processes.ts';
import { makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { makeStaff } from '../../staff/staff-client.ts';
import { type Account, makeAccount } from '../portal-client.ts';
import { look, openBrowser, openPage } from './browser.ts';

let stack: Stack;
let browser: Browser;
let site: string;
beforeAll(async () => {
  const port = String(await freePort());
  // No browser makes a passkey for an IP address.
  site = `http://localhost:${port}`;
  stack = await startStack({ PORT: port, PUBLIC_URL: site });
  browser = await openBrowser();
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const complaints: string[] = [];

/** The devices of a person. Each is touched at once, except while another one is in the hand. */
async function devicesOf(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const plugged: string[] = [];
  const take = async (held: string) => {
    for (const authenticatorId of plugged)
      await session.send('WebAuthn.setAutomaticPresenceSimulation', {
        authenticatorId,
        enabled: authenticatorId === held,
      });
  };
  const plugIn = async (transport: 'internal' | 'usb') => {
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport,
        automaticPresenceSimulation: true,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    plugged.push(authenticatorId);
    await take(authenticatorId);
    return authenticatorId;
  };
  return { plugIn, take };
}

async function signIn(page: Page, path: string, { email, password }: Account): Promise<void> {
  await page.goto(site + path);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the passkey').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
}

const usePasskey = (page: Page) => page.getByRole('button', { name: 'Use a passkey' }).click();

const forgetConfirmations = () =>
  stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute();

const makers: Readonly<Record<string, () => Promise<Account>>> = {
  '/portal': async () =>
    makeAccount(stack, { kind: 'partner', id: (await makePartner(stack)).id }, { role: 'owner' }),
  '/support': () => makeStaff(stack),
};

test.each(Object.entries(makers))(
  'at %s a person adds passkeys, signs in and confirms with them, and removes one',
  async (path, make) => {
    const account = await make();
    const context = await browser.newContext();
    const page = await openPage(context, complaints);
    /** Both sites have the same pages, which are looked at once. */
    const lookAt = async (picture: string) => {
      if (path === '/portal') await look(page, `passkeys-${picture}`);
    };
    await signIn(page, path, account);
    await page.goto(`${site}${path}/account/second-factor`);
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    await lookAt('none');
    // A passkey needs a name.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    expect(new URL(page.url()).pathname).toBe(`${path}/account/second-factor`);

    const devices = await devicesOf(page);
    const phone = await devices.plugIn('internal');
    await addPasskey(page, 'My phone');
    await page.getByRole('heading', { name: 'The passkey is added' }).waitFor();
    const codes = await page.locator('.recovery-codes code').allTextContents();
    expect(codes).toHaveLength(10);
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();

    await signIn(page, path, account);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await lookAt('sign-in');
    await usePasskey(page);
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(path);

    // The same device makes no second passkey; another one does, after a proof by the first.
    await page.goto(`${site}${path}/account/second-factor`);
    await addPasskey(page, 'My phone again');
    await page.getByText('No passkey was made.').waitFor();
    await devices.plugIn('usb');
    await forgetConfirmations();
    await page.reload();
    await addPasskey(page, 'Security key');
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await page.getByText(`You are about to add a passkey for ${account.email}.`).waitFor();
    await lookAt('confirmation');
    await devices.take(phone);
    await usePasskey(page);
    await page.getByText('The passkey is added.').waitFor();
    await lookAt('two');

    await page.getByRole('link', { name: 'Remove My phone' }).click();
    await page.getByText('Your other second factors go on working.').waitFor();
    await lookAt('removal');
    await usePasskey(page);
    await page.getByText('The passkey is removed.').waitFor();
    expect(await page.getByRole('link', { name: 'Remove My phone' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Remove Security key' }).waitFor();
    await context.close();

    // A browser without scripts has the field of the code.
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const elsewhere = await openPage(plain, complaints);
    await signIn(elsewhere, path, account);
    expect(await elsewhere.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await elsewhere.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] ?? '');
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    await plain.close();
    expect(complaints).toEqual([]);
  },
);
