import type { HashPriority } from '../../crypto/digests.ts';
import { addPersonEntry } from '../../db/access/calls.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  countSignIn,
  forgiveSignIn,
  type SignInLimit,
  type WrongSignIns,
  wrongSignIns,
} from '../../db/limits/attempts.ts';
import {
  addPortalAccount,
  canonicalEmail,
  findPerson,
  findPortalAccount,
  type GivenPassword,
  lockAccount,
  mayHaveAccount,
  readPasswordHash,
} from '../../db/people/accounts.ts';
import { lockOpenInvitation, useInvitation } from '../../db/people/invitations.ts';
import { resetAccount } from '../../db/people/sign-ins.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { addressGroup } from '../../http/access/source-address.ts';
import { sentence } from '../language/language.ts';
import type { PersonRequest, PublicRequest } from '../page.ts';
import { LONGEST_PASSWORD } from './passwords.ts';
import { knownDevice } from './session.ts';

/**
 * The counters of a password attempt for an e-mail address, with or without an account. A browser
 * that the person has signed in with has its own counter, so that an attacker cannot lock that
 * person out. Other attempts count by address, by account and address, and, with a much higher
 * limit, by account.
 */
export function signInLimits(request: PublicRequest, email: string): readonly SignInLimit[] {
  const { digests } = request.services;
  const { portal } = request.services.settings;
  const account = canonicalEmail(email);
  const ofAccount = mayHaveAccount(account) ? { email: account } : {};
  const address = addressGroup(request.sourceAddress);
  const device = knownDevice(request, account);
  if (device !== undefined) {
    const subjectDigest = digests.signInSubject('device', device);
    return [{ subjectDigest, attempts: portal.portalSignInsPerAccount, ...ofAccount, isOwn: true }];
  }
  return [
    {
      subjectDigest: digests.signInSubject('address', address),
      attempts: portal.portalSignInsPerAddress,
    },
    {
      subjectDigest: digests.signInSubject('account-at-address', account, address),
      attempts: portal.portalSignInsPerAccount,
      ...ofAccount,
      isOwn: true,
    },
    {
      subjectDigest: digests.signInSubject('account', account),
      attempts: portal.portalSignInsPerAccountAnywhere,
      ...ofAccount,
    },
  ];
}

/**
 * The counters of the second factor of a sign-in: those of its password. A browser that the person has not
 * signed in with also counts for the account, because a code is short.
 */
export function secondFactorLimits(
  request: PublicRequest,
  account: { readonly accountId: number; readonly email: string },
): readonly SignInLimit[] {
  const limits = signInLimits(request, account.email);
  const email = canonicalEmail(account.email);
  if (knownDevice(request, email) !== undefined) return limits;
  const subjectDigest = request.services.digests.signInSubject('code', String(account.accountId));
  const { portalSignInsPerAccount: attempts } = request.services.settings.portal;
  return [...limits, { subjectDigest, attempts, email, isOwn: true }];
}

/** The wrong attempts to sign in to accounts, by the counters above. */
export function readWrongSignIns(
  { services: { database, digests, settings } }: PublicRequest,
  accounts: readonly { readonly id: number; readonly email: string }[],
): Promise<WrongSignIns[]> {
  const { portalSignInsPerAccount, portalSignInsPerAccountAnywhere } = settings.portal;
  return wrongSignIns(
    database,
    accounts.map(({ id }) => id),
    {
      attempts: portalSignInsPerAccount,
      anywhere: {
        subjects: accounts.map(({ email }) => digests.signInSubject('account', email)),
        attempts: portalSignInsPerAccountAnywhere,
      },
    },
  );
}

/** A browser that the person has signed in with has priority over unknown ones. */
export const signInPriority = (request: PublicRequest, email: string): HashPriority =>
  knownDevice(request, canonicalEmail(email)) === undefined ? 'stranger' : 'known';

/** The counters for the current password, or a second factor, of a signed-in person. */
export const presentPasswordLimits = ({
  services,
  session,
}: PersonRequest): readonly SignInLimit[] => [
  {
    subjectDigest: services.digests.signInSubject('change', String(session.accountId)),
    attempts: services.settings.portal.portalSignInsPerAccount,
    email: canonicalEmail(session.email),
    isOwn: true,
  },
];

/** Why a proof was not accepted. */
export interface WrongProof {
  readonly problem: string;
  /** Set after too many attempts. */
  readonly waitSeconds?: number;
}

/** The status of a page with a wrong proof. */
export const answerStatus = (
  wrong: WrongProof | undefined,
): { readonly status?: number; readonly retryAfterSeconds?: number } =>
  wrong === undefined
    ? {}
    : wrong.waitSeconds === undefined
      ? { status: 422 }
      : { status: 429, retryAfterSeconds: wrong.waitSeconds };

/**
 * Counts a password attempt before the comparison. The attempt counts even if the server is too
 * busy to compare, so that a flood has its cost. After too many attempts it is refused.
 */
export async function countPassword(
  { services }: PublicRequest,
  limits: readonly SignInLimit[],
): Promise<WrongProof | undefined> {
  const waitSeconds = await countSignIn(services.database, limits);
  return waitSeconds === undefined
    ? undefined
    : { problem: waitSentence(waitSeconds), waitSeconds };
}

/** Uncounts a correct password. */
export const forgivePassword = (
  { services }: PublicRequest,
  limits: readonly SignInLimit[],
): Promise<void> => forgiveSignIn(services.database, limits);

/**
 * Counts the opening of an invitation link, by address, whether or not the link is valid. Returns
 * the seconds to wait after too many.
 */
export function countLink({ services, sourceAddress }: PublicRequest): Promise<number | undefined> {
  const { portalSignInsPerAddress: attempts } = services.settings.portal;
  const subjectDigest = services.digests.signInSubject('link-address', addressGroup(sourceAddress));
  return countSignIn(services.database, [{ subjectDigest, attempts }]);
}

/** The message for a person who has to wait. */
function waitSentence(waitSeconds: number): string {
  const minutes = Math.ceil(waitSeconds / 60);
  return minutes === 1
    ? sentence('Too many wrong attempts. Wait a minute, then try again.')
    : sentence('Too many wrong attempts. Wait {1} minutes, then try again.', minutes);
}

export interface ActivatedAccount {
  readonly id: number;
  readonly email: string;
  readonly company: Company;
  /** Of the existing account. */
  readonly hasSecondFactor: boolean;
}

/**
 * Uses an invitation link once: creates the invited account, or sets the password of the existing
 * account and ends its sessions. Undefined where the link is not valid any more, its e-mail
 * address now belongs to another company, or the account is disabled.
 */
export const activateAccount = (
  request: PublicRequest,
  tokenDigests: readonly Buffer[],
  passwordHash: string,
): Promise<ActivatedAccount | undefined> =>
  request.services.database.transaction().execute(async (transaction) => {
    const invitation = await lockOpenInvitation(transaction, tokenDigests);
    if (!invitation) return undefined;
    const { id: invitationId, email, merchantId } = invitation;
    const company: Company = { kind: 'merchant', id: merchantId };
    const password = { hash: passwordHash, mustChange: false };
    const given = await giveAccount(transaction, { email, company, password });
    if (given === undefined) return undefined;
    const { id, hasSecondFactor } = given;
    await useInvitation(transaction, invitationId);
    const { sourceAddress } = request;
    const details = { email, invitationId, accountId: id, sourceAddress };
    await addPersonEntry(transaction, { email, company }, 'activate portal-account', details);
    return { id, email, company, hasSecondFactor };
  });

async function giveAccount(
  transaction: DatabaseTransaction,
  account: {
    readonly email: string;
    readonly company: Company;
    readonly password: GivenPassword;
  },
): Promise<Pick<ActivatedAccount, 'id' | 'hasSecondFactor'> | undefined> {
  const added = await addPortalAccount(transaction, account);
  if (added !== undefined) return { id: added, hasSecondFactor: false };
  const known = await findPortalAccount(transaction, account.email);
  if (known === undefined) return undefined;
  await lockAccount(transaction, known.id);
  // Neither of another company nor disabled: a reset by an operator or an owner enables an account.
  if (!(await findPerson(transaction, known.id, account.company))) return undefined;
  await resetAccount(transaction, known.id, account.password);
  return { id: known.id, hasSecondFactor: known.hasSecondFactor };
}

type CheckedPassword =
  | {
      readonly isRight: true;
      /** The hash that the password was compared with. */
      readonly hash: string;
    }
  | ({ readonly isRight: false } & WrongProof);

export const NOT_PRESENT = 'This is not your current password.';

/**
 * Whether the form's field `password` holds the current password of the signed-in person. Protects
 * actions for which a session is not enough. Each attempt is counted before the comparison, as at
 * sign-in.
 */
export async function checkPresentPassword(request: PersonRequest): Promise<CheckedPassword> {
  const { services, passwords, session, form } = request;
  const given = form.text('password');
  const limits = presentPasswordLimits(request);
  const tooMany = await countPassword(request, limits);
  if (tooMany) return { isRight: false, ...tooMany };
  const hash = await readPasswordHash(services.database, session.accountId);
  const isRight = given.length <= LONGEST_PASSWORD && (await passwords.fits(given, hash));
  if (!isRight || hash === null) return { isRight: false, problem: NOT_PRESENT };
  await forgivePassword(request, limits);
  return { isRight: true, hash };
}
