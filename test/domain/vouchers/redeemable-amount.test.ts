import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoney, parseMoney } from '../../../src/domain/money.ts';
import {
  type AmountFacts,
  describeRedeemable,
  refuseAmount,
  splitRedemption,
} from '../../../src/domain/vouchers/claim.ts';

const limits = { redemptionMinimum: parseMoney('5'), partialRedemptionsPerVoucher: 20 };
const noLimits = { redemptionMinimum: 1n, partialRedemptionsPerVoucher: 1_000 };

const facts = (remaining: string, changes: Partial<AmountFacts> = {}): AmountFacts => ({
  remaining: parseMoney(remaining),
  feePercent: '2.5000',
  partialRedemptions: 0,
  canPay: () => true,
  ...changes,
});

const refusal = (given: AmountFacts, amount: string | undefined) =>
  refuseAmount(given, amount === undefined ? undefined : parseMoney(amount), limits)?.reason;

describe('refuseAmount', () => {
  it.each([
    ['a part of the smallest size', facts('500'), '5', undefined],
    ['a part below it', facts('500'), '4.99', 'amount-too-small'],
    ['what is rounded away', facts('500'), '0.19', 'amount-too-small'],
    ['a whole rest below it', facts('4.99'), undefined, undefined],
    ['a whole rest below it by its amount', facts('4.99'), '4.99', undefined],
    ['one part too many', facts('500', { partialRedemptions: 20 }), '50', 'parts-exhausted'],
    ['the last part', facts('500', { partialRedemptions: 19 }), '50', undefined],
    [
      'a whole rest after all parts',
      facts('500', { partialRedemptions: 20 }),
      undefined,
      undefined,
    ],
    ['what cannot be paid', facts('500', { canPay: () => false }), '50', 'amount-not-payable'],
    [
      'whatever is paid to whom the redemption names',
      facts('500', { feePercent: undefined, canPay: () => false }),
      '50',
      undefined,
    ],
  ])('%s', (_, given, amount, expected) => {
    expect(refusal(given, amount)).toBe(expected);
  });
});

describe('describeRedeemable', () => {
  const fee = 'with the service fee of 2.5 %';
  it.each([
    [facts('500'), `${fee} at least 5.00 and at most 487.80, or the whole balance of 500.00`],
    [facts('5.10'), `${fee} only the whole balance of 5.10`],
    [facts('500', { partialRedemptions: 20 }), `${fee} only the whole balance of 500.00`],
    [
      facts('500', { feePercent: '100.0000' }),
      'with the service fee of 100 % at least 5.00 and at most 250.00',
    ],
    [facts('0.01', { feePercent: '100.0000' }), 'with the service fee of 100 % nothing of it'],
    [
      facts('500', { feePercent: undefined }),
      'at least 5.00 and less than the balance, or the whole balance of 500.00',
    ],
  ])('%#', (given, expected) => {
    expect(describeRedeemable(given, limits)).toBe(`${expected} can be redeemed`);
  });

  it('names whole birr where the provider takes nothing else', () => {
    const canPay = (amount: bigint) => amount % 1_000_000n === 0n;
    expect(describeRedeemable(facts('500', { canPay }), noLimits)).toBe(
      `${fee} at most 487.00 can be redeemed`,
    );
  });

  it('names nothing that would be refused', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 100_000n }),
        fc.bigInt({ min: 0n, max: 1_100_000n }),
        fc.integer({ min: 0, max: 25 }),
        fc.boolean(),
        (cents, rate, partialRedemptions, wholeBirr) => {
          const given = facts(formatMoney(cents * 10_000n), {
            feePercent: formatMoney(rate * 100n),
            partialRedemptions,
            canPay: (amount) => !wholeBirr || amount % 1_000_000n === 0n,
          });
          const text = describeRedeemable(given, limits);
          const { remaining, feePercent = '' } = given;
          const isPossible = (amount: bigint) =>
            splitRedemption({ remaining, amount, feePercent }).ok &&
            refuseAmount(given, amount, limits) === undefined;
          const most = /at most ([\d.]+)/.exec(text)?.[1];
          if (most) {
            expect(isPossible(parseMoney(most)), text).toBe(true);
            const more = parseMoney(most) + 10_000n;
            if (more !== remaining) expect(isPossible(more), text).toBe(false);
          }
          expect(text.includes('whole balance')).toBe(isPossible(remaining));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
