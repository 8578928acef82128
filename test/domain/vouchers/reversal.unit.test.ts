import { expect, it } from 'vitest';
import { type ReversalFacts, refuseReversal } from '../../../src/domain/vouchers/redemption.ts';

const redemption = {
  isPaid: true,
  isReturnable: true,
  secondsSincePayment: 60,
  isReversed: false,
  pendingReversal: null,
  caseId: null,
} as const;
const facts: ReversalFacts = {
  isAdmitted: true,
  companyIsActive: true,
  redemption,
  providerCanReverse: true,
};

it.each<[string, Partial<ReversalFacts>, number, string | undefined]>([
  ['in its time', {}, 60, undefined],
  ['after its time', {}, 59, 'reversal-too-late'],
  ['that nobody allows', {}, 0, 'reversal-not-supported'],
  ['that no provider can do', { providerCanReverse: false }, 60, 'reversal-not-supported'],
  ['without authority', { isAdmitted: false, redemption: undefined }, 60, 'token-invalid'],
  ['by a deactivated merchant', { companyIsActive: false }, 60, 'merchant-not-found'],
  ['of nothing', { redemption: undefined }, 0, 'redemption-not-found'],
  [
    'of what was not paid',
    { redemption: { ...redemption, isPaid: false, isReturnable: false } },
    60,
    'redemption-not-paid',
  ],
  [
    'of what the voucher does not pay for',
    { redemption: { ...redemption, isReturnable: false } },
    60,
    'reversal-not-supported',
  ],
  [
    'beside a pending one',
    { redemption: { ...redemption, pendingReversal: 'operation-of-the-reversal' } },
    0,
    'reversal-in-progress',
  ],
  [
    'for the second time',
    { redemption: { ...redemption, isReversed: true } },
    0,
    'redemption-reversed',
  ],
])('a reversal %s', (_name, changed, windowSeconds, reason) => {
  expect(refuseReversal({ ...facts, ...changed }, windowSeconds)?.reason).toBe(reason);
});
