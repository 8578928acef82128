import { lockRow } from '../db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../db/connection.ts';
import { canonicalEmail, findPortalAccount } from '../db/people/accounts.ts';
import { type InvitationStatus, requestInvitation } from '../db/people/invitations.ts';
import { maskMsisdn, parseMsisdn } from '../domain/phone.ts';
import type { Employer } from '../domain/vouchers/voucher.ts';

/** The states of invitations in words. */
export const invitationStates: Readonly<Record<InvitationStatus, string>> = {
  REQUESTED: 'Waiting for a worker',
  OPEN: 'Not used yet',
  USED: 'Used',
  REPLACED: 'Replaced',
  EXPIRED: 'Expired',
  UNDELIVERED: 'Not delivered',
};

/** An invitation that was written, or why it was not. */
type Invited =
  | {
      readonly ok: true;
      readonly invitationId: string;
      readonly email: string;
      /** Masked; null where the telephone cannot receive SMS. */
      readonly sms: string | null;
      readonly replacedId: string | undefined;
    }
  | { readonly ok: false; readonly why: 'unknown' | 'deactivated' }
  | {
      readonly ok: false;
      readonly why: 'disabled';
      readonly email: string;
      readonly accountId: number;
    }
  | {
      readonly ok: false;
      readonly why: 'address-taken';
      readonly email: string;
      /** The company, or the service, of the person who signs in with this address. */
      readonly employer: Employer;
    };

/**
 * Writes an invitation of a merchant, which replaces the previous one; a worker sends it. The default addresses are
 * those of the merchant. A disabled account is not invited: the reset of its password enables it.
 */
export async function inviteMerchant(
  transaction: DatabaseTransaction,
  invitation: {
    readonly merchantId: number;
    readonly email?: string | undefined;
    /** E.164 */
    readonly msisdn?: string | undefined;
  },
): Promise<Invited> {
  const { merchantId } = invitation;
  const merchant = await lockRow(transaction, 'merchants', merchantId);
  if (!merchant) return { ok: false, why: 'unknown' };
  if (merchant.status !== 'ACTIVE') return { ok: false, why: 'deactivated' };
  const email = canonicalEmail(invitation.email ?? String(merchant.email));
  const account = await findPortalAccount(transaction, email);
  if (account && (account.company.kind !== 'merchant' || account.company.id !== merchantId))
    return { ok: false, why: 'address-taken', email, employer: account.company };
  if (account?.disabledAt) return { ok: false, why: 'disabled', email, accountId: account.id };
  const msisdn = invitation.msisdn ?? parseMsisdn(String(merchant.phone)) ?? null;
  const { id, replacedId } = await requestInvitation(transaction, {
    merchant_id: merchantId,
    email,
    msisdn,
  });
  const sms = msisdn === null ? null : maskMsisdn(msisdn);
  return { ok: true, invitationId: id, email, sms, replacedId };
}
