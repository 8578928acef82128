import type { RedemptionReversed } from '../../workflows/contracts.ts';
import { findRedemptionNames } from '../db/support-search.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import { identify, type OperationResult, runOnce } from './run-once.ts';
import type { OperationServices } from './services.ts';

/** Reverses a redemption once: the payment goes back, and its value to the voucher. */
export function reverseRedemptionOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly key: string | undefined;
    readonly redemptionId: number;
    readonly reason: string | null;
    /** What the digest covers besides the redemption. */
    readonly content: object;
  },
): Promise<OperationResult<RedemptionReversed>> {
  const { company, key, redemptionId, reason, content } = request;
  const identity = identify(services, {
    company,
    kind: 'reverse-redemption',
    key,
    content: { ...content, redemptionId },
  });
  return runOnce(services, identity, async (as, deadline) =>
    services.workflows.reverse(
      { ...as, redemptionId, reason },
      await findRedemptionNames(services.database, { redemptionId, merchantId: company.id }),
      deadline,
    ),
  );
}
