import { addHalfSignIn } from '../../db/portal/half-sign-ins.js';
import type { CheckedAccount } from '../../db/portal/portal-accounts.js';
import type { Company } from '../../domain/voucher.js';
import { type PageAnswer, PORTAL_PATH, type PublicRequest } from '../page.js';
import { beginSession, randomToken } from './session.js';

/** The page that asks for the code of a sign-in. */
export const CODE_PATH = `${PORTAL_PATH}/sign-in/code`;

/** Only paths of the portal, which prevents open redirects. */
export const pathAfter = (next: string): string =>
  /^\/portal(\/[a-z0-9-]+)*$/.test(next) ? next : PORTAL_PATH;

/**
 * Goes on after a right password: to the page `next`, or, where the account has one-time passwords,
 * to the page that asks for one. Until then there is no session: the token of half a sign-in opens
 * no other page. Undefined where the password was changed or the account disabled meanwhile.
 */
export async function admit(
  request: PublicRequest,
  account: CheckedAccount & {
    readonly email: string;
    readonly company: Company;
    readonly hasOneTimePassword: boolean;
  },
  next: string,
): Promise<PageAnswer | undefined> {
  const { services, cookies } = request;
  if (!account.hasOneTimePassword) {
    const setCookies = await beginSession(request, account);
    return setCookies && { kind: 'redirect', to: pathAfter(next), setCookies };
  }
  const token = randomToken();
  const isStored = await services.database
    .transaction()
    .execute((transaction) =>
      addHalfSignIn(transaction, account, services.digests.portalHalfSignIn(token)),
    );
  if (!isStored) return undefined;
  const to = `${CODE_PATH}?next=${encodeURIComponent(pathAfter(next))}`;
  return { kind: 'redirect', to, setCookies: [cookies.half.set(token)] };
}
