import { heartbeat, log } from '@temporalio/activity';
import { noteWholeFaults } from '../../src/db/books/check-changes.ts';
import {
  checkWholePart,
  linesOf,
  type WholeCursor,
  wholeStart,
} from '../../src/db/books/check-whole.ts';
import { runUnhurried } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';

/** Time of one part; the workflow asks for the next one. */
const PART_MS = 30_000;
/** Longest time of one statement. */
const STATEMENT_TIMEOUT_MS = 600_000;
const MAXIMUM_SHOWN = 20;

/** A part of the whole check of the books. */
export interface BooksPart {
  /** The first faults, one line each, and their number. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  /** How far it is, for people. */
  readonly progress: string;
  /** Where the next part begins; null at the end. */
  readonly next: WholeCursor | null;
}

export function createWholeBooksActivities({
  database,
  readDatabase = database,
}: ActivityDependencies) {
  /**
   * Checks the next part of all books, on the replica where there is one. Scheduled checks look at
   * what was found faulty until it is in order.
   */
  async function checkBooksPart(cursor: WholeCursor = wholeStart): Promise<BooksPart> {
    let progress = 'begun';
    const note = (latest: string) => {
      progress = latest;
      heartbeat(latest);
    };
    const part = await withHeartbeat(() =>
      runUnhurried(readDatabase, STATEMENT_TIMEOUT_MS, (connection) =>
        checkWholePart(connection, cursor, { endsAt: Date.now() + PART_MS, note }),
      ),
    );
    const faults = linesOf(part);
    if (faults.length > 0) {
      log.error('The books are inconsistent', { faults: faults.slice(0, MAXIMUM_SHOWN) });
      await database.connection().execute((connection) => noteWholeFaults(connection, part));
    }
    return {
      faults: faults.slice(0, MAXIMUM_SHOWN),
      faultCount: faults.length,
      progress,
      next: part.next,
    };
  }

  return { checkBooksPart };
}
