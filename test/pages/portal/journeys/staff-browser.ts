import type { Page } from 'playwright-core';
import type { StaffAccount } from '../../staff/staff-client.ts';
import { codeOf } from '../portal-client.ts';

/** The first sign-in of an account at the page that stands open, with one-time passwords set up. */
export async function signInFirst(page: Page, account: StaffAccount): Promise<void> {
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const secret = (await page.getByRole('textbox', { name: 'Secret' }).inputValue()).replaceAll(
    ' ',
    '',
  );
  await page.getByRole('textbox', { name: 'One-time password' }).fill(codeOf(secret));
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('link', { name: 'I have kept them' }).click();
}
