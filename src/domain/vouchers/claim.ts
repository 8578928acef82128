import type { Money } from '../money.ts';
import { type Refusal, refuse } from '../refusals.ts';
import {
  belongsToCaller,
  type Company,
  isRedeemableAt,
  refuseDisputed,
  refuseForPartner,
  type VoucherStatus,
} from '../voucher.ts';
import { type AmountLimits, describeRedeemable, refuseAmount } from './redeemable-amount.ts';
import { settleRedemption } from './service-fee.ts';

/** Number of events in a window, and the seconds until the oldest leaves it. */
export interface Count {
  readonly count: number;
  readonly retryAfterSeconds: number;
}

/** Facts read for a claim, with the voucher's row locked. */
export interface ClaimFacts {
  /** Whether the caller's API key and token are still valid. */
  readonly isAdmitted: boolean;
  readonly voucher: {
    readonly partnerId: number;
    readonly merchantId: number;
    readonly isRestricted: boolean;
    readonly status: VoucherStatus;
    readonly isPastExpiry: boolean;
    readonly isAnonymous: boolean;
    readonly remaining: Money;
  };
  readonly partnerIsActive: boolean;
  /**
   * The merchant to be paid, where it is known: the claiming merchant, or the merchant of a
   * restricted voucher.
   */
  readonly merchant:
    | {
        readonly isActive: boolean;
        readonly feePercent: string | null;
        readonly hasPayoutAccount: boolean;
      }
    | undefined;
  readonly partialRedemptions: number;
  /** A refused payment of the voucher may have been made, or was made late, and nobody has settled that. */
  readonly hasDisputedPayment: boolean;
  readonly canPay: (toMerchant: Money) => boolean;
  /** Wrong codes of the claiming company for this voucher. */
  readonly wrongCodes: Count;
  readonly secondsUntilNextMessage: number;
  readonly messagesToday: Count;
  /** Messages that the provider refused within an hour. */
  readonly refusedMessages: Count;
  /** Messages that the claiming company sent today. */
  readonly companyMessages: Count & { readonly budget: number };
}

export interface ClaimLimits extends AmountLimits {
  readonly wrongCodesPerDay: number;
  readonly messagesPerNumberAndDay: number;
  readonly refusedMessagesPerNumberAndHour: number;
}

/**
 * Checks a claim: the first failing rule is the refusal, undefined permits the claim. An undefined
 * `amount` means the whole balance.
 */
export function refuseClaim(
  facts: ClaimFacts,
  claim: { readonly company: Company; readonly amount: Money | undefined },
  limits: ClaimLimits,
): Refusal | undefined {
  const { voucher, merchant } = facts;
  const { company, amount } = claim;
  if (!facts.isAdmitted) return refuse('token-invalid');
  if (voucher.status === 'CANCELLED' || !belongsToCaller(voucher, company))
    return refuse('voucher-not-found');
  if (company.kind === 'merchant' && !isRedeemableAt(voucher, company.id))
    return refuse('voucher-not-found');
  if (merchant && !merchant.isActive) return refuse('merchant-not-found');
  if (!facts.partnerIsActive) return refuseForPartner(company);
  if (voucher.status === 'REDEEMED') return refuse('voucher-redeemed');
  if (voucher.status === 'REDEEM_PROCESSING') return refuse('redemption-in-progress');
  if (facts.hasDisputedPayment) return refuseDisputed();
  if (voucher.status === 'EXPIRED' || voucher.isPastExpiry) return refuse('voucher-expired');
  if (voucher.isAnonymous) return refuse('claim-not-needed');
  if (facts.wrongCodes.count >= limits.wrongCodesPerDay)
    return refuse('attempts-exhausted', { retryAfterSeconds: facts.wrongCodes.retryAfterSeconds });
  if (merchant && merchant.feePercent === null) return refuse('service-fee-missing');
  const refusal = refuseClaimedAmount(facts, amount, limits);
  if (refusal) return refusal;
  if (merchant && !merchant.hasPayoutAccount) return refuse('payout-account-missing');
  if (facts.secondsUntilNextMessage > 0)
    return refuse('message-too-soon', { retryAfterSeconds: facts.secondsUntilNextMessage });
  const { messagesToday, refusedMessages } = facts;
  if (messagesToday.count >= limits.messagesPerNumberAndDay)
    return refuse('messages-exhausted', { retryAfterSeconds: messagesToday.retryAfterSeconds });
  if (refusedMessages.count >= limits.refusedMessagesPerNumberAndHour)
    return refuse('messages-refused', { retryAfterSeconds: refusedMessages.retryAfterSeconds });
  const { companyMessages } = facts;
  return companyMessages.count >= companyMessages.budget
    ? refuseMessage(companyMessages)
    : undefined;
}

/** The refusal of a company that has reached its daily message limit. */
export const refuseMessage = ({ retryAfterSeconds }: Pick<Count, 'retryAfterSeconds'>): Refusal =>
  refuse('company-messages-exhausted', { retryAfterSeconds });

/** Refuses an amount that could never be redeemed, so that no useless code is sent. */
function refuseClaimedAmount(
  { voucher, merchant, partialRedemptions, canPay }: ClaimFacts,
  amount: Money | undefined,
  limits: AmountLimits,
): Refusal | undefined {
  const { remaining } = voucher;
  const feePercent = merchant?.feePercent ?? undefined;
  const amountFacts = { remaining, feePercent, partialRedemptions, canPay };
  const isTooMuch =
    feePercent === undefined
      ? amount !== undefined && amount > remaining
      : !settleRedemption({ remaining, amount, feePercent }).ok;
  if (isTooMuch)
    return refuse('amount-exceeds-balance', { detail: describeRedeemable(amountFacts, limits) });
  return refuseAmount(amountFacts, amount, limits);
}
