import { randomBytes } from 'node:crypto';
import { addAuditEntry } from '../db/audit.js';
import { noteSignIn } from '../db/portal-accounts.js';
import { addPortalSession, endPortalSession } from '../db/portal-sessions.js';
import type { Company } from '../domain/voucher.js';
import { PORTAL_ACTOR } from './change-access.js';
import type { PublicRequest } from './page.js';

/** 256 bits: 43 characters, which exist in the browser's cookie alone. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/**
 * Begins a session for somebody who has just proven who they are. Its token is always a new one, and
 * the one that the browser had before ends, so that nobody can prepare a session for another
 * (fixation). Returns the Set-Cookie headers.
 */
export async function beginSession(
  request: PublicRequest,
  account: {
    readonly id: number;
    readonly email: string;
    readonly company: Company;
    /** The same password hashed at another cost. */
    readonly newHash: string | undefined;
  },
): Promise<readonly string[]> {
  const { services, settings, cookies } = request;
  const token = randomToken();
  await services.database.transaction().execute(async (transaction) => {
    if (request.sessionToken !== undefined)
      await endPortalSession(transaction, services.digests.portalSession(request.sessionToken));
    await noteSignIn(transaction, account.id, account.newHash);
    await addPortalSession(
      transaction,
      { accountId: account.id, tokenDigest: services.digests.portalSession(token) },
      settings.session,
    );
    await addAuditEntry(transaction, {
      actor: PORTAL_ACTOR + account.email,
      action: 'sign in',
      subjectKind: account.company.kind,
      subjectId: account.company.id,
      details: { sourceAddress: request.sourceAddress },
    });
  });
  return [cookies.session.set(token), cookies.visit.clear()];
}
