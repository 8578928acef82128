import { type Money, percentageOf } from './money.js';

export type RedemptionSettlement =
  | {
      readonly ok: true;
      readonly toMerchant: Money;
      readonly fee: Money;
      /** What leaves the voucher: `toMerchant` and `fee`. */
      readonly taken: Money;
      readonly remainingAfter: Money;
    }
  | {
      readonly ok: false;
      readonly reason: 'nothing-left' | 'amount-exceeds-balance' | 'negative-after-fee';
    };

/**
 * Splits a redemption into the merchant's part, the service fee and what stays on the voucher
 * (design 4, "Service fee"; spec 7.3: 4044, 4091, 4096). Without an amount, or with the whole
 * balance, the merchant pays the fee out of what it receives and nothing stays. With less, the
 * merchant receives the amount and the fee comes out of what stays. `feePercent` is a decimal
 * string of the database; an unreadable one throws a RangeError.
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
  return { ok: true, toMerchant, fee, taken, remainingAfter: remaining - taken };
}

const MICROS_PER_CENT = 10_000n;

/**
 * The largest amount in whole cents, below the whole balance, that leaves enough for its fee;
 * undefined where not even a cent does. A cent more is the whole balance, or is refused.
 */
export function largestPart(voucher: {
  readonly remaining: Money;
  readonly feePercent: string;
}): Money | undefined {
  const { remaining } = voucher;
  // What an amount takes with its fee grows with the amount, so halving finds the last that fits.
  let [possible, impossible] = [0n, (remaining + MICROS_PER_CENT - 1n) / MICROS_PER_CENT];
  while (impossible - possible > 1n) {
    const cents = (possible + impossible) / 2n;
    if (settleRedemption({ ...voucher, amount: cents * MICROS_PER_CENT }).ok) possible = cents;
    else impossible = cents;
  }
  return possible > 0n ? possible * MICROS_PER_CENT : undefined;
}
