import { type Refusal, refuse } from './errors.js';
import { formatAmount, type Money } from './money.js';
import { largestPart, settleRedemption } from './service-fee.js';

/** Settings by which parts of a voucher are limited; its whole balance never is. */
export interface AmountLimits {
  /** The smallest part that is redeemed: below it the service fee would be rounded away. */
  readonly redemptionMinimum: Money;
  /** Redemptions that may take a part of one voucher. */
  readonly partialRedemptionsPerVoucher: number;
}

/** What decides which amounts of a voucher can be redeemed. */
export interface AmountFacts {
  readonly remaining: Money;
  /** A decimal string; undefined while the merchant to be paid is not known. */
  readonly feePercent: string | undefined;
  /** Redemptions that took a part before, or hold one. */
  readonly partialRedemptions: number;
  /** Whether the mobile-money provider can carry an amount exactly. */
  readonly canPay: (toMerchant: Money) => boolean;
}

const CENT = 10_000n;

/**
 * Refuses a part that is too small or one too many, and what the merchant could not be paid exactly:
 * an amount is never rounded. `amount` undefined is the whole balance; it must be one that
 * `settleRedemption` accepts.
 */
export function refuseAmount(
  facts: AmountFacts,
  amount: Money | undefined,
  limits: AmountLimits,
): Refusal | undefined {
  const { remaining, feePercent } = facts;
  const detail = () => ({ detail: describeRedeemable(facts, limits) });
  if (amount !== undefined && amount !== remaining) {
    if (amount < limits.redemptionMinimum) return refuse('amount-too-small', detail());
    if (facts.partialRedemptions >= limits.partialRedemptionsPerVoucher)
      return refuse('parts-exhausted', detail());
  }
  if (feePercent === undefined) return undefined;
  const settlement = settleRedemption({ remaining, amount, feePercent });
  const isPayable = !settlement.ok || facts.canPay(settlement.toMerchant);
  return isPayable ? undefined : refuse('amount-not-payable', detail());
}

/** Says what can be redeemed instead: "at most 487.80, or the whole balance of 500.00, …". */
export function describeRedeemable(facts: AmountFacts, limits: AmountLimits): string {
  const { remaining, feePercent } = facts;
  const part = partOf(facts, limits);
  const least = limits.redemptionMinimum;
  const whole = isWholeRedeemable(facts) ? `the whole balance of ${formatAmount(remaining)}` : '';
  const parts = part && `${least > CENT ? `at least ${formatAmount(least)} and ` : ''}${part}`;
  const possible = [parts, whole].filter(Boolean).join(', or ');
  const atFee = feePercent === undefined ? '' : `with the service fee of ${Number(feePercent)} % `;
  return `${atFee}${parts || !whole ? '' : 'only '}${possible || 'nothing of it'} can be redeemed`;
}

function isWholeRedeemable({ remaining, feePercent, canPay }: AmountFacts): boolean {
  if (feePercent === undefined) return true;
  const settlement = settleRedemption({ remaining, amount: undefined, feePercent });
  return settlement.ok && canPay(settlement.toMerchant);
}

/** The largest part; undefined where no part can be redeemed. */
function partOf(facts: AmountFacts, limits: AmountLimits): string | undefined {
  const { remaining, feePercent, canPay } = facts;
  if (facts.partialRedemptions >= limits.partialRedemptionsPerVoucher) return undefined;
  if (feePercent === undefined)
    return remaining > limits.redemptionMinimum ? 'less than the balance' : undefined;
  const largest = largestPart({ remaining, feePercent });
  const payable = largest === undefined ? undefined : nextPayable(largest, canPay);
  return payable === undefined || payable < limits.redemptionMinimum
    ? undefined
    : `at most ${formatAmount(payable)}`;
}

/** Providers may take whole birr only: one of the cents of the last birr is a whole one. */
function nextPayable(largest: Money, canPay: AmountFacts['canPay']): Money | undefined {
  for (let cents = 0n; cents < 100n && largest > cents * CENT; cents += 1n)
    if (canPay(largest - cents * CENT)) return largest - cents * CENT;
  return undefined;
}
