import { log } from '@temporalio/activity';
import { checkChangedBooks } from '../../src/db/books/check-changes.ts';
import { runUnhurried } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';

/** Slightly below the timeout of the activity that checks the books. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;

/** After this time a check leaves the rest to the next one. */
const CHECK_MS = 120_000;

export function createReconciliationActivities({ database }: ActivityDependencies) {
  /** Checks what has changed in the books since the last check; one line per broken invariant. */
  async function checkInvariants(): Promise<readonly string[]> {
    const { faults, isComplete } = await withHeartbeat(() =>
      runUnhurried(database, BOOKS_STATEMENT_TIMEOUT_MS, (connection) =>
        checkChangedBooks(connection, { endsAt: Date.now() + CHECK_MS }),
      ),
    );
    if (!isComplete) log.warn('The check of the books is behind; the next one continues');
    if (faults.length > 0) log.error('The books are inconsistent', { faults });
    return faults;
  }

  return { checkInvariants };
}
