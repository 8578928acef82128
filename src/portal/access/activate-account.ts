import { addAuditEntry } from '../../db/access/audit.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { lockOpenInvitation, useInvitation } from '../../db/portal/invitations.ts';
import {
  addPortalAccount,
  findPortalAccount,
  setPassword,
  setPortalAccountDisabled,
} from '../../db/portal/portal-accounts.ts';
import { endPortalSessions } from '../../db/portal/portal-sessions.ts';
import { PORTAL_ACTOR } from '../../domain/access/access-changes.ts';
import type { Company } from '../../domain/voucher.ts';
import type { PublicRequest } from '../page.ts';

export interface ActivatedAccount {
  readonly invitationId: string;
  readonly id: number;
  readonly email: string;
  readonly company: Company;
  /** Of the existing account. */
  readonly hasOneTimePassword: boolean;
}

/**
 * Uses an invitation link once: creates the invited account, or sets the password of the existing
 * account and ends its sessions. Undefined where the link is not valid any more, or its e-mail
 * address now belongs to another company.
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
    const given = await giveAccount(transaction, { email, company, passwordHash });
    if (given === undefined) return undefined;
    const { id, hasOneTimePassword } = given;
    await useInvitation(transaction, invitationId);
    await addAuditEntry(transaction, {
      actor: PORTAL_ACTOR + email,
      action: 'activate portal-account',
      subjectKind: company.kind,
      subjectId: company.id,
      details: { email, invitationId, accountId: id, sourceAddress: request.sourceAddress },
    });
    return { invitationId, id, email, company, hasOneTimePassword };
  });

async function giveAccount(
  transaction: DatabaseTransaction,
  account: { readonly email: string; readonly company: Company; readonly passwordHash: string },
): Promise<Pick<ActivatedAccount, 'id' | 'hasOneTimePassword'> | undefined> {
  const added = await addPortalAccount(transaction, { ...account, mustChangePassword: false });
  if (added !== undefined) return { id: added, hasOneTimePassword: false };
  const known = await findPortalAccount(transaction, account.email);
  const { kind, id } = account.company;
  if (known?.company.kind !== kind || known.company.id !== id) return undefined;
  // An operator has invited this person again, which re-enables the account.
  await setPortalAccountDisabled(transaction, known.id, false);
  await setPassword(transaction, known.id, { hash: account.passwordHash, mustChange: false });
  await endPortalSessions(transaction, known.id);
  return { id: known.id, hasOneTimePassword: known.hasOneTimePassword };
}
