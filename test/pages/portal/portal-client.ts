import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { createPasswordHashes } from '../../../src/crypto/password-hashes.ts';
import { addPortalAccount } from '../../../src/db/people/accounts.ts';
import type { PortalRole } from '../../../src/domain/access.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { call } from '../../support/clients.ts';
import { type Stack, TEST_PASSWORD_COST } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** What a browser would show. */
export interface PortalAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where a redirect leads. */
  readonly location: string | null;
}

export interface Account {
  readonly email: string;
  readonly password: string;
}

export interface MadeAccount extends Account {
  readonly id: number;
}

/** An account of a company, with a password of its own. */
export async function makeAccount(
  stack: Pick<Stack, 'database'>,
  company: Company,
  options: {
    readonly mustChangePassword?: boolean;
    readonly email?: string;
    readonly role?: PortalRole;
    readonly passwordCost?: number;
  } = {},
): Promise<MadeAccount> {
  const email = options.email ?? `${randomUUID()}@portal.example`;
  const password = `correct horse ${randomUUID()}`;
  const passwords = createPasswordHashes(options.passwordCost ?? TEST_PASSWORD_COST);
  const id = await addPortalAccount(stack.database, {
    email,
    company,
    password: {
      hash: await passwords.make(password),
      mustChange: options.mustChangePassword ?? false,
    },
    role: options.role ?? 'owner',
  });
  if (id === undefined) throw new Error('The address has an account');
  return { id, email, password };
}

export type PortalClient = ReturnType<typeof portalClient>;

/** A browser without scripts: it keeps cookies and sends forms. Redirects are not followed. */
export function portalClient(stack: Pick<Stack, 'url'>, headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>();

  async function request(path: string, init: RequestInit = {}): Promise<PortalAnswer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(stack.url + path, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie ? { cookie } : {}), ...headers, ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (/Max-Age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('location'),
    };
  }

  const get = (path: string) => request(path);

  /** Sends fields as they are. */
  const post = (path: string, fields: Record<string, string>, init: RequestInit = {}) =>
    request(path, { method: 'POST', body: new URLSearchParams(fields), ...init });

  /** Opens a page and sends its form with an action, with the hidden fields and checked boxes that it has. */
  async function submit(page: string, action: string, fields: Record<string, string> = {}) {
    const { html } = await get(page);
    return post(action, { ...hiddenFields(html, action), ...fields });
  }

  const signIn = ({ email, password }: Account) =>
    submit('/portal/sign-in', '/portal/sign-in', { email, password });

  return { cookies, request, get, post, submit, signIn };
}

/** The one-time password of a secret, so many steps of 30 seconds from now. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

/** The hidden fields and the checked boxes of the form with an action. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const form = html
    .split('<form')
    .find((part) => part.includes(`action="${action}"`))
    ?.split('</form>')[0];
  if (form === undefined) throw new Error(`The page has no form that goes to ${action}`);
  return Object.fromEntries(
    [
      ...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g),
      ...form.matchAll(/<input type="checkbox" name="([^"]+)" value="([^"]*)" checked>/g),
    ].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  );
}

/** A browser of somebody who has signed in. */
export async function signedIn(stack: Stack, account: Account): Promise<PortalClient> {
  const client = portalClient(stack);
  const answer = await client.signIn(account);
  if (answer.status !== 303) throw new Error(`Signing in was answered with ${answer.status}`);
  return client;
}

/** Waits for the e-mails to an address; returns their texts. */
export async function mailsUntil(
  stack: Stack,
  email: string,
  isThere: (texts: string[]) => boolean,
): Promise<string[]> {
  return until(async () => {
    const url = `${stack.sandbox.url}/mails?to=${encodeURIComponent(email)}`;
    const texts = (await call(url)).body.map(({ text }: { text: string }) => text);
    if (!isThere(texts)) throw new Error(`${texts.length} e-mails have come`);
    return texts;
  });
}
