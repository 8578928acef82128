import { type Refusal, refuse } from './errors.js';
import type { Money } from './money.js';
import { type AmountLimits, describeRedeemable, refuseAmount } from './redeemable-amount.js';
import { settleRedemption } from './service-fee.js';
import {
  belongsToCaller,
  type Company,
  isRedeemableAt,
  refuseForPartner,
  type VoucherStatus,
} from './voucher.js';

/** How often something happened, and when the oldest of it will be forgotten. */
interface Count {
  readonly count: number;
  readonly retryAfterSeconds: number;
}

/** What the database says at the moment of a claim, with the voucher's row locked. */
export interface ClaimFacts {
  /** Whether the caller's key and token still hold. */
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
   * The merchant that will be paid, where it is known: the one that claims, or the one that a
   * partner's voucher is restricted to.
   */
  readonly merchant:
    | {
        readonly isActive: boolean;
        readonly feePercent: string | null;
        readonly hasPayoutAccount: boolean;
      }
    | undefined;
  readonly partialRedemptions: number;
  readonly canPay: (toMerchant: Money) => boolean;
  /** Of the company that claims, for this voucher. */
  readonly wrongCodes: Count;
  readonly secondsUntilNextMessage: number;
  readonly messagesToday: Count;
  /** Within an hour, by the provider; they reached nobody. */
  readonly refusedMessages: Count;
  /** What the company that claims has sent today. */
  readonly companyMessages: Count & { readonly budget: number };
}

export interface ClaimLimits extends AmountLimits {
  readonly wrongCodesPerDay: number;
  readonly messagesPerNumberAndDay: number;
  readonly refusedMessagesPerNumberAndHour: number;
}

/**
 * The ladder of a claim: the first rung that fails is the answer; undefined means it may be made.
 * `amount` undefined stands for the whole balance.
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

/** The refusal of a company that has spent its messages of the day. */
export const refuseMessage = ({ retryAfterSeconds }: Pick<Count, 'retryAfterSeconds'>): Refusal =>
  refuse('company-messages-exhausted', { retryAfterSeconds });

/** Refuses what could never be redeemed: a code that leads to nothing is not sent. */
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
