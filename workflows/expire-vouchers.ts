import { sweeps } from './activity-options.js';

const BATCH_SIZE = 500;

/** What one sweep did, as it stands in the Temporal UI. */
export interface SweepResult {
  readonly expiredClaims: number;
  readonly expiredVouchers: number;
  readonly prunedOperations: number;
}

/**
 * Expires what is due and prunes what is kept for a limited time; a Schedule starts it. Claims come
 * first, because a voucher that is claimed does not expire.
 */
export async function expireVouchers(): Promise<SweepResult> {
  return {
    expiredClaims: await inBatches(() => sweeps.expireLeftClaims(BATCH_SIZE)),
    expiredVouchers: await inBatches(() => sweeps.expireDueVouchers(BATCH_SIZE)),
    prunedOperations: await sweeps.pruneOldOperations(),
  };
}

/** Each batch is a transaction of its own, so that a sweep never holds many rows for long. */
async function inBatches(sweepBatch: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const swept = await sweepBatch();
    total += swept;
    if (swept < BATCH_SIZE) return total;
  }
}
