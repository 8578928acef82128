import type { HashPriority } from '../../crypto/hash-turns.ts';
import { countSignIn, forgiveSignIn, type SignInLimit } from '../../db/limits/sign-in-attempts.ts';
import { canonicalEmail, mayHaveAccount } from '../../db/portal/portal-accounts.ts';
import { addressGroup } from '../../http/access/source-address.ts';
import { sentence } from '../language/language.ts';
import type { PersonRequest, PublicRequest } from '../page.ts';
import { knownDevice } from './device.ts';

/**
 * The counters of a password attempt for an e-mail address, with or without an account. A browser
 * that the person has signed in with has its own counter, so that an attacker cannot lock that
 * person out. Other attempts count by address, by account and address, and, with a much higher
 * limit, by account.
 */
export function signInLimits(request: PublicRequest, email: string): readonly SignInLimit[] {
  const { digests } = request.services;
  const { perAccount, perAccountAnywhere, perAddress } = request.settings.signIn;
  const account = canonicalEmail(email);
  const ofAccount = mayHaveAccount(account) ? { email: account } : {};
  const address = addressGroup(request.sourceAddress);
  const device = knownDevice(request, account);
  if (device !== undefined) {
    const subjectDigest = digests.signInSubject('device', device);
    return [{ subjectDigest, attempts: perAccount, ...ofAccount, isOwn: true }];
  }
  return [
    { subjectDigest: digests.signInSubject('address', address), attempts: perAddress },
    {
      subjectDigest: digests.signInSubject('account-at-address', account, address),
      attempts: perAccount,
      ...ofAccount,
      isOwn: true,
    },
    {
      subjectDigest: digests.signInSubject('account', account),
      attempts: perAccountAnywhere,
      ...ofAccount,
    },
  ];
}

/**
 * The counters of the code of a sign-in: those of its password, and, for a browser that the person
 * has not signed in with, one for the account, because a code is short.
 */
export function codeLimits(
  request: PublicRequest,
  account: { readonly accountId: number; readonly email: string },
): readonly SignInLimit[] {
  const limits = signInLimits(request, account.email);
  const email = canonicalEmail(account.email);
  if (knownDevice(request, email) !== undefined) return limits;
  const subjectDigest = request.services.digests.signInSubject('code', String(account.accountId));
  const { perAccount } = request.settings.signIn;
  return [...limits, { subjectDigest, attempts: perAccount, email, isOwn: true }];
}

/** A browser that the person has signed in with has priority over unknown ones. */
export const signInPriority = (request: PublicRequest, email: string): HashPriority =>
  knownDevice(request, canonicalEmail(email)) === undefined ? 'stranger' : 'known';

/** The counters for the current password, or a code, of a signed-in person. */
export const presentPasswordLimits = ({
  services,
  session,
  settings,
}: PersonRequest): readonly SignInLimit[] => [
  {
    subjectDigest: services.digests.signInSubject('change', String(session.accountId)),
    attempts: settings.signIn.perAccount,
    email: canonicalEmail(session.email),
    isOwn: true,
  },
];

/**
 * Counts a password attempt before the comparison. The attempt counts even if the server is too
 * busy to compare, so that a flood has its cost. Returns the seconds to wait after too many
 * attempts.
 */
export const countPassword = (
  { services, settings }: PublicRequest,
  limits: readonly SignInLimit[],
): Promise<number | undefined> =>
  countSignIn(services.database, limits, settings.signIn.windowSeconds);

/** Uncounts a correct password. */
export const forgivePassword = (
  { services }: PublicRequest,
  limits: readonly SignInLimit[],
): Promise<void> => forgiveSignIn(services.database, limits);

/**
 * Counts the opening of an invitation link, by address, whether or not the link is valid. Returns
 * the seconds to wait after too many.
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

/** The message for a person who has to wait. */
export function waitSentence(waitSeconds: number): string {
  const minutes = Math.ceil(waitSeconds / 60);
  return minutes === 1
    ? sentence('Too many wrong attempts. Wait a minute, then try again.')
    : sentence('Too many wrong attempts. Wait {1} minutes, then try again.', minutes);
}
