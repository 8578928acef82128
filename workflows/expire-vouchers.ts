import { sweeps } from './activity-options.js';

const BATCH_SIZE = 500;

/** What one sweep did, as it stands in the Temporal UI. */
export interface SweepResult {
  readonly expiredClaims: number;
  readonly expiredVouchers: number;
  readonly failedTopups: number;
  readonly prunedOperations: number;
}

/**
 * Ends what is over: vouchers and claims that are due, top-ups that never began, and what is kept for
 * a limited time. A Schedule starts it. Claims come first, since a claimed voucher does not expire.
 */
export async function expireVouchers(): Promise<SweepResult> {
  return {
    expiredClaims: await inBatches(() => sweeps.expireLeftClaims(BATCH_SIZE)),
    expiredVouchers: await inBatches(() => sweeps.expireDueVouchers(BATCH_SIZE)),
    failedTopups: await sweeps.failTopUpsNeverStarted(),
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
