import { log } from '@temporalio/activity';
import { findBrokenInvariants } from '../src/db/ledger/invariants.js';
import { runUnhurried } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';
import { withHeartbeat } from './provider-call.js';

/** Slightly below the timeout of the activity that checks the books. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;

export function createReconciliationActivities({ database }: ActivityDependencies) {
  /** Checks the ledger; one line per broken invariant. */
  async function checkInvariants(): Promise<string[]> {
    const faults = await withHeartbeat(() =>
      runUnhurried(database, BOOKS_STATEMENT_TIMEOUT_MS, findBrokenInvariants),
    );
    if (faults.length > 0) log.error('The books are inconsistent', { faults });
    return faults;
  }

  return { checkInvariants };
}
