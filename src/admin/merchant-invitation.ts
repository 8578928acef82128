import { lockRow } from '../db/catalogue/company-changes.ts';
import type { DatabaseTransaction } from '../db/connection.ts';
import { requestInvitation } from '../db/portal/invitations.ts';
import { canonicalEmail, findPortalAccount } from '../db/portal/portal-accounts.ts';
import { maskMsisdn, parseMsisdn } from '../domain/phone.ts';
import { AdminError } from './admin-error.ts';
import { notFound } from './record-names.ts';
import type { Consequence } from './records/record-kind.ts';

/**
 * Writes an invitation of a merchant, which replaces the previous one; a worker sends it. The
 * default addresses are those of the merchant.
 *
 * @throws {AdminError} where the merchant cannot be invited
 */
export async function inviteMerchant(
  transaction: DatabaseTransaction,
  invitation: {
    readonly merchantId: number;
    readonly email?: string | undefined;
    /** E.164 */
    readonly msisdn?: string | undefined;
  },
): Promise<Consequence> {
  const { merchantId } = invitation;
  const merchant = await lockRow(transaction, 'merchants', merchantId);
  if (!merchant) throw notFound('merchant', merchantId);
  if (merchant.status !== 'ACTIVE')
    throw new AdminError(
      `Merchant ${merchantId} is deactivated: "activate merchant ${merchantId}" first.`,
    );
  const email = canonicalEmail(invitation.email ?? String(merchant.email));
  const account = await findPortalAccount(transaction, email);
  if (account && (account.company.kind !== 'merchant' || account.company.id !== merchantId))
    throw new AdminError(
      `${email} signs in for ${account.company.kind} ${account.company.id}: use another --email.`,
    );
  const msisdn = invitation.msisdn ?? parseMsisdn(String(merchant.phone)) ?? null;
  const { id, replacedId } = await requestInvitation(transaction, { merchantId, email, msisdn });
  const sms = msisdn === null ? null : maskMsisdn(msisdn);
  return {
    details: { invitationId: id, email, sms, replacedInvitationId: replacedId ?? null },
    text: [
      `Invited merchant ${merchantId}: the link goes to ${email}`,
      sms === null ? ' only, because its telephone cannot receive SMS.' : ` and by SMS to ${sms}.`,
      replacedId === undefined ? '' : ' The previous link no longer works.',
    ].join(''),
  };
}
