import { type Money, percentageOf } from '../money.ts';

export type RedemptionSettlement =
  | {
      readonly ok: true;
      readonly toMerchant: Money;
      readonly fee: Money;
      /** Leaves the voucher's balance: `toMerchant` plus `fee`. */
      readonly taken: Money;
    }
  | {
      readonly ok: false;
      readonly reason: 'nothing-left' | 'amount-exceeds-balance' | 'negative-after-fee';
    };

/**
 * Splits a redemption into the merchant's part and the service fee (design
 * 4, "Service fee"; spec 7.3: 4044, 4091, 4096). For the whole balance, which is the default, the
 * merchant pays the fee out of its part and nothing remains. For a partial amount the merchant
 * receives the amount and the fee comes out of the remaining balance. `feePercent` is a decimal
 * string of the database; an unreadable value throws a RangeError.
 */
export function settleRedemption(redemption: {
  readonly remaining: Money;
  readonly amount: Money | undefined;
  readonly feePercent: string;
}): RedemptionSettlement {
  const { remaining, amount = remaining, feePercent } = redemption;
  if (remaining <= 0n) return { ok: false, reason: 'nothing-left' };
  if (amount > remaining) return { ok: false, reason: 'amount-exceeds-balance' };
  if (amount <= 0n) return { ok: false, reason: 'negative-after-fee' };

  const fee = percentageOf(amount, feePercent);
  const toMerchant = amount === remaining ? remaining - fee : amount;
  const taken = toMerchant + fee;
  if (toMerchant <= 0n || taken > remaining) return { ok: false, reason: 'negative-after-fee' };
  return { ok: true, toMerchant, fee, taken };
}

const MICROS_PER_CENT = 10_000n;

/**
 * The largest amount in whole cents, below the whole balance, that leaves enough for its fee;
 * undefined where even one cent is too much. One cent more is the whole balance, or is refused.
 */
export function largestPart(voucher: {
  readonly remaining: Money;
  readonly feePercent: string;
}): Money | undefined {
  const { remaining } = voucher;
  // Amount plus fee grows with the amount, so a binary search finds the largest that fits.
  let [possible, impossible] = [0n, (remaining + MICROS_PER_CENT - 1n) / MICROS_PER_CENT];
  while (impossible - possible > 1n) {
    const cents = (possible + impossible) / 2n;
    if (settleRedemption({ ...voucher, amount: cents * MICROS_PER_CENT }).ok) possible = cents;
    else impossible = cents;
  }
  return possible > 0n ? possible * MICROS_PER_CENT : undefined;
}
