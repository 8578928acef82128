import { sweeps } from './activity-options.js';

const BATCH_SIZE = 500;

/** What one sweep did, as it stands in the Temporal UI. */
export interface SweepResult {
  readonly expiredVouchers: number;
  readonly prunedOperations: number;
}

/**
 * Expires the vouchers that are due and prunes what is kept for a limited time; a Schedule starts
 * it. Each batch is a transaction of its own, so it never holds many rows for long.
 */
export async function expireVouchers(): Promise<SweepResult> {
  let expiredVouchers = 0;
  for (let batch = BATCH_SIZE; batch === BATCH_SIZE; ) {
    batch = await sweeps.expireDueVouchers(BATCH_SIZE);
    expiredVouchers += batch;
  }
  const prunedOperations = await sweeps.pruneOldOperations();
  return { expiredVouchers, prunedOperations };
}
