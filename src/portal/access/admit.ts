import { addHalfSignIn } from '../../db/portal/half-sign-ins.ts';
import type { CheckedAccount } from '../../db/portal/portal-accounts.ts';
import type { Employer } from '../../domain/voucher.ts';
import type { PageAnswer, PublicRequest, Site } from '../page.ts';
import { beginSession, randomToken } from './session.ts';

/** The page that asks for the code of a sign-in. */
export const codePath = ({ basePath }: Site): string => `${basePath}/sign-in/code`;

/** Only paths of the site, which prevents open redirects. */
export const pathAfter = ({ basePath }: Site, next: string): string =>
  next.startsWith(basePath) && /^(\/[a-z0-9-]+)*$/.test(next.slice(basePath.length))
    ? next
    : basePath;

/**
 * Goes on after a right password: to the page `next`, or, where the account has one-time passwords,
 * to the page that asks for one. Until then there is no session: the token of half a sign-in opens
 * no other page. Undefined where the password was changed or the account disabled meanwhile.
 */
export async function admit(
  request: PublicRequest,
  account: CheckedAccount & {
    readonly email: string;
    readonly company: Employer;
    readonly hasOneTimePassword: boolean;
  },
  next: string,
): Promise<PageAnswer | undefined> {
  const { services, cookies, site } = request;
  if (!account.hasOneTimePassword) {
    const setCookies = await beginSession(request, account);
    return setCookies && { kind: 'redirect', to: pathAfter(site, next), setCookies };
  }
  const token = randomToken();
  const isStored = await services.database
    .transaction()
    .execute((transaction) =>
      addHalfSignIn(transaction, account, services.digests.portalHalfSignIn(token)),
    );
  if (!isStored) return undefined;
  const to = `${codePath(site)}?next=${encodeURIComponent(pathAfter(site, next))}`;
  return { kind: 'redirect', to, setCookies: [cookies.half.set(token)] };
}
