import type { HashPriority } from '../../crypto/hash-turns.js';
import { countSignIn, forgiveSignIn, type SignInLimit } from '../../db/limits/sign-in-attempts.js';
import { canonicalEmail } from '../../db/portal/portal-accounts.js';
import { addressGroup } from '../../http/access/source-address.js';
import type { AccountRequest, PublicRequest } from '../page.js';
import { knownDevice } from './device.js';

/**
 * Who is counted when a password is tried for an e-mail address, whether or not there is such an
 * account. A browser that its person has signed in with is counted by itself, so that nobody who
 * guesses locks that person out; all others by address, by account and address, and, much later, by
 * account alone.
 */
export function signInLimits(request: PublicRequest, email: string): readonly SignInLimit[] {
  const { digests } = request.services;
  const { perAccount, perAccountAnywhere, perAddress } = request.settings.signIn;
  const account = canonicalEmail(email);
  const address = addressGroup(request.sourceAddress);
  const device = knownDevice(request, account);
  if (device !== undefined) {
    const subjectDigest = digests.signInSubject('device', device);
    return [{ subjectDigest, attempts: perAccount, isOwn: true }];
  }
  return [
    { subjectDigest: digests.signInSubject('address', address), attempts: perAddress },
    {
      subjectDigest: digests.signInSubject('account-at-address', account, address),
      attempts: perAccount,
      isOwn: true,
    },
    { subjectDigest: digests.signInSubject('account', account), attempts: perAccountAnywhere },
  ];
}

/** A browser that its person has signed in with does not wait behind strangers. */
export const signInPriority = (request: PublicRequest, email: string): HashPriority =>
  knownDevice(request, canonicalEmail(email)) === undefined ? 'stranger' : 'known';

/** Who is counted when somebody who is signed in gives the present password once more. */
export const presentPasswordLimits = ({
  services,
  session,
  settings,
}: AccountRequest): readonly SignInLimit[] => [
  {
    subjectDigest: services.digests.signInSubject('change', String(session.accountId)),
    attempts: settings.signIn.perAccount,
    isOwn: true,
  },
];

/**
 * Counts a password that is about to be looked at; it counts, too, where there turns out to be no
 * room to look at it, or a flood that fills the room would cost its senders nothing. Returns how
 * many seconds to wait where too many were tried.
 */
export const countPassword = (
  { services, settings }: PublicRequest,
  limits: readonly SignInLimit[],
): Promise<number | undefined> =>
  countSignIn(services.database, limits, settings.signIn.windowSeconds);

/** The password was right: it does not count. */
export const forgivePassword = (
  { services }: PublicRequest,
  limits: readonly SignInLimit[],
): Promise<void> => forgiveSignIn(services.database, limits);

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

/** What people are told who have to wait. */
export function waitSentence(waitSeconds: number): string {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `Too many passwords were tried. Wait ${wait}, then try again.`;
}
