import type { ClaimContext } from '../../src/db/vouchers/claim-context.ts';
import type { LockedVoucher } from '../../src/db/vouchers/vouchers.ts';
import type { ClaimFacts } from '../../src/domain/vouchers/claim.ts';
import type { ClaimCommand } from '../../workflows/contracts.ts';
import { voucherFacts } from './voucher-facts.ts';

/**
 * The merchant to be paid, as far as the claim determines it: the claiming merchant, or the
 * merchant of a restricted voucher. Null for an unrestricted one, whose redemption names the
 * merchant.
 */
export function payeeOfClaim({ company }: ClaimCommand, voucher: LockedVoucher): number | null {
  if (company.kind === 'merchant') return company.id;
  return voucher.is_restricted ? voucher.merchant_id : null;
}

/** The facts of domain/vouchers/claim.ts, from the database's rows. */
export function claimFacts(
  voucher: LockedVoucher,
  context: ClaimContext,
  means: {
    readonly messageCooldownSeconds: number;
    readonly messagesPerCompanyAndDay: number;
    readonly canPay: ClaimFacts['canPay'];
  },
): ClaimFacts {
  const sinceMessage = context.seconds_since_message ?? Number.POSITIVE_INFINITY;
  return {
    isAdmitted: context.is_admitted,
    voucher: { ...voucherFacts(voucher), isAnonymous: voucher.owner_msisdn === null },
    partnerIsActive: context.partner_status === 'ACTIVE',
    merchant:
      context.merchant_status === null
        ? undefined
        : {
            isActive: context.merchant_status === 'ACTIVE',
            feePercent: context.service_fee_percent,
            hasPayoutAccount: context.has_payout_account,
          },
    partialRedemptions: context.partial_redemptions,
    hasDisputedPayment: context.is_blocked,
    canPay: means.canPay,
    wrongCodes: {
      count: context.wrong_codes,
      retryAfterSeconds: context.wrong_codes_retry_seconds,
    },
    secondsUntilNextMessage: Math.max(0, Math.ceil(means.messageCooldownSeconds - sinceMessage)),
    messagesToday: {
      count: context.messages_today,
      retryAfterSeconds: context.messages_retry_seconds,
    },
    refusedMessages: {
      count: context.refused_messages,
      retryAfterSeconds: context.refused_messages_retry_seconds,
    },
    companyMessages: {
      count: context.company_messages,
      retryAfterSeconds: context.seconds_left_of_day,
      budget: context.messages_per_day ?? means.messagesPerCompanyAndDay,
    },
  };
}
