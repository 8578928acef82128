import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameBytes } from '../../crypto/digests.ts';
import { randomToken } from '../../crypto/random.ts';
import { addPersonEntry } from '../../db/access/calls.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { countSignIn } from '../../db/limits/attempts.ts';
import { type CheckedAccount, canonicalEmail, noteSignIn } from '../../db/people/accounts.ts';
import { hasFactor } from '../../db/people/second-factors.ts';
import {
  addHalfSignIn,
  addPortalSession,
  endPortalSession,
  type PersonSession,
  takeHalfSignIn,
} from '../../db/people/sign-ins.ts';
import type { Employer } from '../../domain/vouchers/voucher.ts';
import { addressGroup } from '../../http/access/source-address.ts';
import { describeError } from '../../runtime/process/logger.ts';
import type { PageAnswer, PublicRequest, Site } from '../page.ts';

/** A device id has 96 random bits; the proof follows it in the cookie. */
const NAME_CHARACTERS = 16;
const TOKEN_CHARACTERS = 43;

/** The cookie value of a device that an account has signed in with: id and proof. */
const tokenOf = (name: string, proof: string): string => (name + proof).slice(0, TOKEN_CHARACTERS);

/**
 * The id of the request's browser, where the account (its canonical e-mail address) has signed in
 * with it before. It gives no access.
 */
export function knownDevice(request: PublicRequest, account: string): string | undefined {
  const { deviceToken } = request;
  if (deviceToken === undefined) return undefined;
  const name = deviceToken.slice(0, NAME_CHARACTERS);
  const proofs = request.services.digests.stored.portalDevice(account, name);
  return proofs.some((proof) => isSameBytes(deviceToken, tokenOf(name, proof))) ? name : undefined;
}

/** The Set-Cookie header that marks a browser as one of the account's. */
function rememberDevice(request: PublicRequest, account: string): string {
  const name = knownDevice(request, account) ?? randomBytes(12).toString('base64url');
  return request.cookies.device.set(
    tokenOf(name, request.services.digests.portalDevice(account, name)),
  );
}

/** Half of a sign-in that a second factor has completed. */
interface CompletedHalf {
  readonly accountId: number;
  readonly email: string;
  readonly company: Employer;
  readonly halfToken: string;
}

/**
 * Begins a session after authentication. Its token is always new and the browser's previous session
 * ends, which prevents session fixation. Returns the Set-Cookie headers; undefined where the
 * authentication is outdated, because the password was changed, the account disabled or a second factor added
 * meanwhile.
 */
async function beginSession(
  request: PublicRequest,
  account: CheckedAccount & { readonly email: string; readonly company: Employer },
): Promise<readonly string[] | undefined> {
  const token = randomToken();
  const hasBegun = await request.services.database.transaction().execute(async (transaction) => {
    if (!(await noteSignIn(transaction, account))) return false;
    if (await hasFactor(transaction, account.id)) return false;
    await openSession(transaction, request, { ...account, accountId: account.id, token });
    return true;
  });
  return hasBegun ? cookiesOf(request, account.email, token) : undefined;
}

/** Begins a session after the second factor; undefined as after a password. */
export async function completeSignIn(
  request: PublicRequest,
  half: CompletedHalf,
): Promise<readonly string[] | undefined> {
  const { services, cookies } = request;
  const { accountId, email, halfToken } = half;
  const token = randomToken();
  const hasBegun = await services.database.transaction().execute(async (transaction) => {
    const halfDigests = services.digests.stored.portalHalfSignIn(halfToken);
    if (!(await takeHalfSignIn(transaction, accountId, halfDigests))) return false;
    await openSession(transaction, request, { ...half, token });
    return true;
  });
  return hasBegun ? [...cookiesOf(request, email, token), cookies.half.clear()] : undefined;
}

async function openSession(
  transaction: DatabaseTransaction,
  { services, sessionToken, sourceAddress }: PublicRequest,
  account: {
    readonly accountId: number;
    readonly email: string;
    readonly company: Employer;
    readonly token: string;
  },
): Promise<void> {
  const { accountId, token } = account;
  if (sessionToken !== undefined)
    await endPortalSession(transaction, services.digests.stored.portalSession(sessionToken));
  await addPortalSession(transaction, {
    accountId,
    tokenDigest: services.digests.portalSession(token),
  });
  await addPersonEntry(transaction, account, 'sign in', { sourceAddress });
}

/** Why somebody did not sign in to an account. */
type SignInFailure =
  | 'wrong password'
  | 'wrong code'
  | 'wrong passkey'
  | 'expired password'
  | 'disabled account';

/**
 * Records that somebody did not sign in. The answer does not wait for it: its time must not say whether an
 * e-mail address has an account. Strangers could fill the audit log: within the window of attempts it gets a reason and
 * an address once, and few addresses of a reason. Each reason counts alone, so that guesses do not hide somebody who
 * knows the password.
 */
export function recordFailedSignIn(
  { services, sourceAddress }: PublicRequest,
  account: { readonly email: string; readonly company: Employer },
  why: SignInFailure,
): void {
  const subject = (...parts: readonly string[]) =>
    services.digests.signInSubject('failure', canonicalEmail(account.email), ...parts);
  const limits = [
    { subjectDigest: subject(why, addressGroup(sourceAddress)), attempts: 1 },
    { subjectDigest: subject(why), attempts: services.settings.portal.portalSignInsPerAccount },
  ];
  services.database
    .transaction()
    .execute(async (transaction) => {
      if ((await countSignIn(transaction, limits)) !== undefined) return;
      await addPersonEntry(transaction, account, 'fail sign-in', { why, sourceAddress });
    })
    .catch((error) =>
      services.logger.warn(describeError(error), 'Could not record a failed sign-in'),
    );
}

const cookiesOf = (request: PublicRequest, email: string, token: string) => [
  request.cookies.session.set(token),
  request.cookies.visit.clear(),
  rememberDevice(request, canonicalEmail(email)),
];

/**
 * Whether a POST came from a page of this portal, according to the browser. Pages cannot set
 * `Sec-Fetch-Site` and `Origin`. A client that sends neither is not a browser with a foreign page,
 * and it still needs the form token.
 */
export function isFromHere(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  // Behind a proxy that changes Host, the public address counts; otherwise Host.
  return origin === new URL(publicUrl).origin || hostOf(origin) === host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** The page that asks for the second factor of a sign-in. */
export const secondStepPath = ({ basePath }: Site): string => `${basePath}/sign-in/second-factor`;

/** Only paths of the site, which prevents open redirects. */
export const pathAfter = ({ basePath }: Site, next: string): string =>
  next.startsWith(basePath) && /^(\/[a-z0-9-]+)*$/.test(next.slice(basePath.length))
    ? next
    : basePath;

/**
 * Goes on after a right password: to the page `next`, or, where the account has a second factor,
 * to the page that asks for it. Until then there is no session: the token of half a sign-in opens
 * no other page. Undefined where the password was changed or the account disabled meanwhile.
 */
export async function admitSession(
  request: PublicRequest,
  account: CheckedAccount & {
    readonly email: string;
    readonly company: Employer;
    readonly hasSecondFactor: boolean;
  },
  next: string,
): Promise<PageAnswer | undefined> {
  const { services, cookies, site } = request;
  if (!account.hasSecondFactor) {
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
  const to = `${secondStepPath(site)}?next=${encodeURIComponent(pathAfter(site, next))}`;
  return { kind: 'redirect', to, setCookies: [cookies.half.set(token)] };
}

/** The page of the person's own account. */
export const accountPath = ({ basePath }: Site): string => `${basePath}/account`;

/** The page of the person's second factors. */
export const secondFactorPath = (site: Site): string => `${accountPath(site)}/second-factor`;

/** Whether the person must set up a second factor, as the company requires, before all else. */
const mustSetUpSecondFactor = (session: PersonSession): boolean =>
  session.needsSecondFactor && !session.hasSecondFactor;

/** The page that the person must use before all else; undefined where nothing is to be set up. */
export function pathBeforeAllElse(site: Site, session: PersonSession): string | undefined {
  if (session.mustChangePassword) return accountPath(site);
  return mustSetUpSecondFactor(session) ? secondFactorPath(site) : undefined;
}
