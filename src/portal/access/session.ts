import { randomBytes } from 'node:crypto';
import { addAuditEntry } from '../../db/access/audit.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { takeHalfSignIn } from '../../db/portal/half-sign-ins.ts';
import {
  type CheckedAccount,
  canonicalEmail,
  noteSignIn,
} from '../../db/portal/portal-accounts.ts';
import { addPortalSession, endPortalSession } from '../../db/portal/portal-sessions.ts';
import { actorOfPerson } from '../../domain/access/access-changes.ts';
import type { Employer } from '../../domain/voucher.ts';
import { describeError } from '../../process/describe-error.ts';
import type { PublicRequest } from '../page.ts';
import { recordRecoveryCode } from './account-code.ts';
import { rememberDevice } from './device.ts';

/** 256 bits in 43 characters, stored only in the browser's cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** Half of a sign-in that a code has completed. */
interface CompletedHalf {
  readonly accountId: number;
  readonly email: string;
  readonly company: Employer;
  readonly halfToken: string;
  readonly isRecovery: boolean;
}

/**
 * Begins a session after authentication. Its token is always new and the browser's previous session
 * ends, which prevents session fixation. Returns the Set-Cookie headers; undefined where the
 * authentication is outdated, because the password was changed or the account disabled meanwhile.
 */
export async function beginSession(
  request: PublicRequest,
  account: CheckedAccount & { readonly email: string; readonly company: Employer },
): Promise<readonly string[] | undefined> {
  const token = randomToken();
  const hasBegun = await request.services.database.transaction().execute(async (transaction) => {
    if (!(await noteSignIn(transaction, account))) return false;
    await openSession(transaction, request, { ...account, accountId: account.id, token });
    return true;
  });
  return hasBegun ? cookiesOf(request, account.email, token) : undefined;
}

/** Begins a session after the code; undefined as after a password. */
export async function completeSignIn(
  request: PublicRequest,
  half: CompletedHalf,
): Promise<readonly string[] | undefined> {
  const { services, cookies } = request;
  const { accountId, email, halfToken, isRecovery } = half;
  const token = randomToken();
  const hasBegun = await services.database.transaction().execute(async (transaction) => {
    const halfDigests = services.digests.stored.portalHalfSignIn(halfToken);
    if (!(await takeHalfSignIn(transaction, accountId, halfDigests))) return false;
    await openSession(transaction, request, { ...half, token });
    if (isRecovery) await recordRecoveryCode(transaction, request, half);
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
  const { accountId, email, company, token } = account;
  if (sessionToken !== undefined)
    await endPortalSession(transaction, services.digests.stored.portalSession(sessionToken));
  await addPortalSession(transaction, {
    accountId,
    tokenDigest: services.digests.portalSession(token),
  });
  await addAuditEntry(transaction, {
    actor: actorOfPerson({ email, company }),
    action: 'sign in',
    subjectKind: company.kind,
    subjectId: company.id,
    details: { sourceAddress },
  });
}

/** Why somebody did not sign in to an account. */
type SignInFailure = 'wrong password' | 'wrong code' | 'expired password' | 'disabled account';

/**
 * Records that somebody did not sign in. The answer does not wait for it: its time must not say whether an
 * e-mail address has an account.
 */
export function recordFailedSignIn(
  { services, sourceAddress }: PublicRequest,
  account: { readonly email: string; readonly company: Employer },
  why: SignInFailure,
): void {
  services.database
    .transaction()
    .execute((transaction) =>
      addAuditEntry(transaction, {
        actor: actorOfPerson(account),
        action: 'fail sign-in',
        subjectKind: account.company.kind,
        subjectId: account.company.id,
        details: { why, sourceAddress },
      }),
    )
    .catch((error) =>
      services.logger.warn(describeError(error), 'Could not record a failed sign-in'),
    );
}

const cookiesOf = (request: PublicRequest, email: string, token: string) => [
  request.cookies.session.set(token),
  request.cookies.visit.clear(),
  rememberDevice(request, canonicalEmail(email)),
];
