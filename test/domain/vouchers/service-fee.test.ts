import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, formatMoney, parseMoney } from '../../../src/domain/money.ts';
import { largestPart, splitRedemption } from '../../../src/domain/vouchers/claim.ts';

function settle(remaining: string, amount: string | undefined, feePercent: string) {
  return splitRedemption({
    remaining: parseMoney(remaining),
    amount: amount === undefined ? undefined : parseMoney(amount),
    feePercent,
  });
}

describe('splitRedemption', () => {
  it.each([
    ['the whole balance', '100', undefined, '2.5', '97.50', '2.50', '0.00'],
    ['the whole balance by its amount', '100', '100', '2.5', '97.50', '2.50', '0.00'],
    ['a part', '100', '40', '2.5', '40.00', '1.00', '59.00'],
    ['a part with its fee as the exact rest', '100', '97.56', '2.5', '97.56', '2.44', '0.00'],
    ['no fee', '100', '30', '0', '30.00', '0.00', '70.00'],
    ['a fee that rounds up', '1', '0.20', '2.5', '0.20', '0.01', '0.79'],
    ['a fee that rounds down', '1', '0.19', '2.5', '0.19', '0.00', '0.81'],
    ['a part at 100 percent', '100', '50', '100', '50.00', '50.00', '0.00'],
    ['a balance below a cent', '0.000001', undefined, '50', '0.000001', '0.00', '0.00'],
  ])('%s', (_, remaining, amount, percent, toMerchant, fee, remainingAfter) => {
    const settlement = settle(remaining, amount, percent);
    if (!settlement.ok) throw new Error(settlement.reason);
    expect(formatAmount(settlement.toMerchant)).toBe(toMerchant);
    expect(formatAmount(settlement.fee)).toBe(fee);
    expect(formatAmount(parseMoney(remaining) - settlement.taken)).toBe(remainingAfter);
    expect(settlement.taken).toBe(settlement.toMerchant + settlement.fee);
  });

  it.each([
    ['nothing on the voucher', '0', undefined, '2.5', 'balance-insufficient'],
    ['nothing on the voucher for an amount', '0', '5', '2.5', 'balance-insufficient'],
    ['more than the balance', '100', '100.01', '2.5', 'amount-exceeds-balance'],
    ['no rest for the fee', '100', '99', '2.5', 'balance-negative-after-fee'],
    ['no rest for the fee by a cent', '100', '97.57', '2.5', 'balance-negative-after-fee'],
    ['a fee as high as the balance', '100', undefined, '100', 'balance-negative-after-fee'],
    ['a fee above the balance', '100', undefined, '150', 'balance-negative-after-fee'],
    ['a fee rounded up to the balance', '0.01', undefined, '50', 'balance-negative-after-fee'],
    ['an amount of zero', '100', '0', '2.5', 'balance-negative-after-fee'],
    ['an amount below zero', '100', '-1', '2.5', 'balance-negative-after-fee'],
  ])('refuses %s', (_, remaining, amount, percent, reason) => {
    expect(settle(remaining, amount, percent)).toEqual({ ok: false, reason });
  });

  it('throws for a percentage that cannot be read', () => {
    expect(() => settle('100', '40', 'NaN')).toThrow(RangeError);
    expect(() => settle('100', '40', '-1')).toThrow(RangeError);
  });

  it('never makes or loses money', () => {
    const balances = fc.bigInt({ min: -10n, max: 10n ** 15n });
    const rates = fc.bigInt({ min: 0n, max: 120_000_000n });
    fc.assert(
      fc.property(
        balances,
        fc.option(balances, { nil: undefined }),
        rates,
        (remaining, any, rate) => {
          // Small balances are where rounding and limits meet.
          const amount = any === undefined ? undefined : any % (remaining + 2n || 1n);
          const settlement = splitRedemption({ remaining, amount, feePercent: formatMoney(rate) });
          if (!settlement.ok) return;
          const { toMerchant, fee, taken } = settlement;
          expect(toMerchant + fee).toBe(taken);
          expect(toMerchant > 0n && fee >= 0n && taken <= remaining).toBe(true);
          if (amount !== undefined && amount !== remaining) expect(toMerchant).toBe(amount);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('largestPart', () => {
  const largest = (remaining: string, feePercent: string) => {
    const part = largestPart({ remaining: parseMoney(remaining), feePercent });
    return part === undefined ? undefined : formatAmount(part);
  };

  it.each([
    ['500', '2.5', '487.80'],
    ['100', '2.5', '97.56'],
    ['500', '0', '499.99'],
    ['100', '100', '50.00'],
    ['0.02', '2.5', '0.01'],
    ['0.01', '2.5', undefined],
    ['0.02', '100', '0.01'],
    ['0', '2.5', undefined],
    ['12.345678', '3', '11.98'],
  ])('of %s at %s percent is %s', (remaining, feePercent, expected) => {
    expect(largest(remaining, feePercent)).toBe(expected);
  });

  it('can be redeemed, and a cent more cannot, unless it is the whole balance', () => {
    const cent = 10_000n;
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.bigInt({ min: 0n, max: 120_000_000n }),
        (any, rate) => {
          // Amounts of a few cents are where rounding decides, whole balances are mostly in cents.
          const remaining = any % 3n === 0n ? any % 5_000_000n : (any / cent) * cent;
          const feePercent = formatMoney(rate);
          const part = largestPart({ remaining, feePercent });
          const isRedeemable = (amount: bigint) =>
            splitRedemption({ remaining, amount, feePercent }).ok;
          if (part !== undefined) {
            expect(part % cent).toBe(0n);
            expect(part < remaining && isRedeemable(part)).toBe(true);
          }
          const more = (part ?? 0n) + cent;
          if (more !== remaining) expect(isRedeemable(more)).toBe(false);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
