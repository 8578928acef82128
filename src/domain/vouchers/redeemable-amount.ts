import { formatAmount, type Money } from '../money.ts';
import { type Refusal, refuse } from '../refusals.ts';
import { largestPart, settleRedemption } from './service-fee.ts';

/** Limits of partial redemptions. The whole balance has no limit. */
export interface AmountLimits {
  /** The smallest partial redemption: the service fee of a smaller amount would round to zero. */
  readonly redemptionMinimum: Money;
  /** Partial redemptions allowed for one voucher. */
  readonly partialRedemptionsPerVoucher: number;
}

/** The facts that decide which amounts of a voucher can be redeemed. */
export interface AmountFacts {
  readonly remaining: Money;
  /** A decimal string; undefined while the merchant to be paid is unknown. */
  readonly feePercent: string | undefined;
  /** Partial redemptions that are completed or hold money. */
  readonly partialRedemptions: number;
  /** Whether the mobile-money provider can pay an amount exactly. */
  readonly canPay: (toMerchant: Money) => boolean;
}

const CENT = 10_000n;

/**
 * Refuses a partial redemption below the minimum or beyond the limit, and an amount that the
 * provider cannot pay exactly: amounts are never rounded. An undefined `amount` means the whole
 * balance. `settleRedemption` must accept the amount.
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

/** Describes what can be redeemed instead: "at most 487.80, or the whole balance of 500.00, …". */
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

/** Describes the largest partial redemption; undefined where none is possible. */
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

/** Some providers pay whole birr only: one of the next 100 cents down is a whole birr. */
function nextPayable(largest: Money, canPay: AmountFacts['canPay']): Money | undefined {
  for (let cents = 0n; cents < 100n && largest > cents * CENT; cents += 1n)
    if (canPay(largest - cents * CENT)) return largest - cents * CENT;
  return undefined;
}
