import { randomBytes } from 'node:crypto';
import { addAuditEntry } from '../../db/access/audit.js';
import {
  type CheckedAccount,
  canonicalEmail,
  noteSignIn,
} from '../../db/portal/portal-accounts.js';
import { addPortalSession, endPortalSession } from '../../db/portal/portal-sessions.js';
import type { Company } from '../../domain/voucher.js';
import type { PublicRequest } from '../page.js';
import { PORTAL_ACTOR } from './change-access.js';
import { rememberDevice } from './device.js';

/** 256 bits in 43 characters, stored only in the browser's cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/**
 * Begins a session after authentication. Its token is always new and the browser's previous session
 * ends, which prevents session fixation. Returns the Set-Cookie headers; undefined where the
 * authentication is outdated, because the password was changed or the account disabled meanwhile.
 */
export async function beginSession(
  request: PublicRequest,
  account: CheckedAccount & { readonly email: string; readonly company: Company },
): Promise<readonly string[] | undefined> {
  const { services, cookies } = request;
  const token = randomToken();
  const hasBegun = await services.database.transaction().execute(async (transaction) => {
    if (!(await noteSignIn(transaction, account))) return false;
    if (request.sessionToken !== undefined)
      await endPortalSession(transaction, services.digests.portalSession(request.sessionToken));
    await addPortalSession(transaction, {
      accountId: account.id,
      tokenDigest: services.digests.portalSession(token),
    });
    await addAuditEntry(transaction, {
      actor: PORTAL_ACTOR + account.email,
      action: 'sign in',
      subjectKind: account.company.kind,
      subjectId: account.company.id,
      details: { sourceAddress: request.sourceAddress },
    });
    return true;
  });
  return hasBegun
    ? [
        cookies.session.set(token),
        cookies.visit.clear(),
        rememberDevice(request, canonicalEmail(account.email)),
      ]
    : undefined;
}
