import { type Refusal, refuse } from './errors.js';
import type { Money } from './money.js';
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
  /** Of a merchant's claim only. */
  readonly merchant: { readonly isActive: boolean; readonly feePercent: string | null } | undefined;
  readonly wrongCodes: Count;
  readonly secondsUntilNextMessage: number;
  readonly messagesToday: Count;
  /** Within an hour, by the provider; they reached nobody. */
  readonly refusedMessages: Count;
}

export interface ClaimLimits {
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
  if (amount !== undefined && amount > voucher.remaining) return refuse('amount-exceeds-balance');
  if (facts.secondsUntilNextMessage > 0)
    return refuse('message-too-soon', { retryAfterSeconds: facts.secondsUntilNextMessage });
  const { messagesToday, refusedMessages } = facts;
  if (messagesToday.count >= limits.messagesPerNumberAndDay)
    return refuse('messages-exhausted', { retryAfterSeconds: messagesToday.retryAfterSeconds });
  if (refusedMessages.count >= limits.refusedMessagesPerNumberAndHour)
    return refuse('messages-refused', { retryAfterSeconds: refusedMessages.retryAfterSeconds });
  return undefined;
}
