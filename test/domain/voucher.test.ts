import { describe, expect, it } from 'vitest';
import {
  belongsToCaller,
  isRedeemableBy,
  type VoucherStatus,
  voucherMoves,
} from '../../src/domain/vouchers/voucher.ts';

const statuses = Object.keys(voucherMoves) as VoucherStatus[];

describe('the moves of a voucher', () => {
  it.each<[VoucherStatus, VoucherStatus[]]>([
    ['ACTIVE', ['REDEEM_INITIATED', 'REDEEM_PROCESSING', 'REDEEMED', 'EXPIRED', 'CANCELLED']],
    ['REDEEM_INITIATED', ['ACTIVE', 'REDEEM_PROCESSING']],
    ['REDEEM_PROCESSING', ['ACTIVE', 'REDEEMED']],
    ['REDEEMED', ['ACTIVE']],
    ['EXPIRED', []],
    ['CANCELLED', []],
  ])('from %s lead to %j', (from, to) => {
    expect(voucherMoves[from]).toEqual(to);
  });

  it('lead to every state but back to none that has ended', () => {
    const reached = new Set<VoucherStatus>(['ACTIVE']);
    for (const from of reached) for (const to of voucherMoves[from]) reached.add(to);
    expect([...reached].sort()).toEqual([...statuses].sort());
  });
});

describe('belongsToCaller', () => {
  const voucher = { partnerId: 1, merchantId: 2, isRestricted: true };

  it.each([
    ['its partner', { kind: 'partner', id: 1 }, true],
    ['another partner', { kind: 'partner', id: 2 }, false],
    ['a merchant', { kind: 'merchant', id: 2 }, true],
    ['another merchant, which is told by the ladders', { kind: 'merchant', id: 1 }, true],
  ] as const)('%s', (_who, company, expected) => {
    expect(belongsToCaller(voucher, company)).toBe(expected);
  });
});

describe('isRedeemableBy', () => {
  it.each([
    ['restricted, at its own merchant', true, 2, true],
    ['restricted, at another merchant', true, 3, false],
    ['unrestricted, at its own merchant', false, 2, true],
    ['unrestricted, at another merchant', false, 3, true],
  ])('%s', (_case, isRestricted, merchantId, expected) => {
    expect(isRedeemableBy({ partnerId: 1, merchantId: 2, isRestricted }, merchantId)).toBe(
      expected,
    );
  });
});
