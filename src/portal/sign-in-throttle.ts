import { canonicalEmail } from '../db/portal-accounts.js';
import { countSignIn, forgiveSignIn } from '../db/sign-in-attempts.js';
import { addressGroup } from '../http/source-address.js';
import type { PublicRequest } from './page.js';

const subjectsOf = ({ services, sourceAddress }: PublicRequest, email: string) => ({
  account: services.digests.signInSubject('account', canonicalEmail(email)),
  address: services.digests.signInSubject('address', addressGroup(sourceAddress)),
});

/**
 * Counts a password that is about to be looked at, by account and by address, whether or not there
 * is such an account. Returns how many seconds to wait where too many were tried.
 */
export function countPassword(request: PublicRequest, email: string): Promise<number | undefined> {
  const { windowSeconds, perAccount, perAddress } = request.settings.signIn;
  const { account, address } = subjectsOf(request, email);
  return countSignIn(
    request.services.database,
    [
      { subjectDigest: account, attempts: perAccount },
      { subjectDigest: address, attempts: perAddress },
    ],
    windowSeconds,
  );
}

/**
 * Counts a look at a link of an invitation, by address alone, whether or not the link works. Returns
 * how many seconds to wait where too many were tried.
 */
export function countLink({
  services,
  settings,
  sourceAddress,
}: PublicRequest): Promise<number | undefined> {
  const { windowSeconds, perAddress } = settings.signIn;
  const subjectDigest = services.digests.signInSubject('link-address', addressGroup(sourceAddress));
  return countSignIn(services.database, [{ subjectDigest, attempts: perAddress }], windowSeconds);
}

/** The password was right: it does not count. */
export function forgivePassword(request: PublicRequest, email: string): Promise<void> {
  const { windowSeconds } = request.settings.signIn;
  return forgiveSignIn(request.services.database, subjectsOf(request, email), windowSeconds);
}

/** What people are told who have to wait. */
export function waitSentence(waitSeconds: number): string {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `Too many passwords were tried. Wait ${wait}, then try again.`;
}
