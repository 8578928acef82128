import { z } from 'zod';
import type { DatabaseTransaction } from '../db/connection.ts';
import { extendClaim as extend, type VoucherFacts } from '../db/repairs/voucher-facts.ts';
import { endClaim, releaseClaimedVoucher } from '../db/vouchers/claims.ts';
import { wholeNumber } from './fields.ts';
import { type CarriedOut, repairKind } from './repair-kind.ts';
import { ofVoucher } from './voucher-repairs.ts';

const LONGEST_MINUTES = 60;

/** A claim is named by its voucher, and a later claim is another repair. */
const ofClaim = {
  ...ofVoucher,
  bind: ({ claimId }: VoucherFacts) => ({ claimId }),
  amountOf: () => 0n,
} as const;

const BEING_PAID =
  'Its payment is under way: wait for its end, or settle it where the provider does not say.';

/** Why a claim is not there to be repaired. */
function refuseWithoutClaim({ status, claimId }: VoucherFacts): string | undefined {
  if (status === 'REDEEM_PROCESSING') return BEING_PAID;
  return claimId === null ? 'It has no open claim: the merchant claims again.' : undefined;
}

export const extendClaim = repairKind({
  ...ofClaim,
  name: 'extend-claim',
  title: 'Extend the claim',
  button: 'Keep it open',
  summary: 'The owner has more time to give the code to the merchant.',
  allowed: 'While the claim is open and its time is not over',
  fields: z.object({
    minutes: wholeNumber(1, LONGEST_MINUTES, 'The minutes from now that it stays open at least'),
  }),
  refuse: (facts) =>
    refuseWithoutClaim(facts) ??
    (facts.isClaimOver
      ? 'The time of the claim is over: the merchant claims again. If it hangs, release it first.'
      : undefined),
  async carryOut(transaction, { claimId }, { minutes }) {
    await extend(transaction, claimId ?? '', minutes);
    return { kind: 'done', result: `The claim stays open for ${minutes} minutes at least.` };
  },
});

/** Ends the claim, and frees its voucher. */
async function end(
  transaction: DatabaseTransaction,
  { claimId }: VoucherFacts,
  status: 'CANCELLED' | 'EXPIRED',
): Promise<CarriedOut> {
  await releaseClaimedVoucher(transaction, claimId ?? '');
  await endClaim(transaction, claimId ?? '', status);
  return {
    kind: 'done',
    result: 'The claim has ended. The voucher is free, and the merchant can claim again.',
  };
}

export const cancelClaim = repairKind({
  ...ofClaim,
  name: 'cancel-claim',
  title: 'Cancel the claim',
  button: 'End the claim',
  summary:
    'The claim ends, and its code pays nothing any more. The voucher is free for a new claim.',
  allowed: 'While the claim is open',
  endsClaim: true,
  fields: z.object({}),
  refuse: (facts) =>
    refuseWithoutClaim(facts) ??
    (facts.isClaimOver ? 'The time of the claim is over: release it instead.' : undefined),
  carryOut: (transaction, facts) => end(transaction, facts, 'CANCELLED'),
});

export const releaseClaim = repairKind({
  ...ofClaim,
  name: 'release-claim',
  title: 'Release the claim',
  button: 'End the claim at once',
  summary: 'The time of the claim is over, but it still keeps the voucher: it ends at once.',
  allowed: 'When the time of the claim is over, and the voucher still waits for it',
  endsClaim: true,
  fields: z.object({}),
  refuse: (facts) =>
    refuseWithoutClaim(facts) ??
    (facts.isClaimOver
      ? undefined
      : 'The claim does not hang, its time is not over: wait, or cancel the claim.'),
  carryOut: (transaction, facts) => end(transaction, facts, 'EXPIRED'),
});
