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
