import { expect } from 'vitest';
import { checkChangedBooks } from '../../../src/db/books/check-changes.ts';
import type { Database } from '../../../src/db/connection.ts';
import { until } from '../../support/until.ts';

/**
 * Checks the books until nothing is newer than what was checked. A check notes the newest rows, and a
 * later one moves to them once no older transaction runs in the cluster, which other test files use.
 *
 * @param batchSize rows that a check reads at once
 */
export async function untilBooksAreChecked(database: Database, batchSize?: number): Promise<void> {
  const options = { settleSeconds: 0, ...(batchSize === undefined ? {} : { batchSize }) };
  await until(async () => {
    expect(await checkChangedBooks(database, options)).toEqual({ faults: [], isComplete: true });
    const ends = await database.selectFrom('book_checkpoints').selectAll().execute();
    const behind = ends.filter((end) => end.checked_to !== end.next_to);
    expect(behind.map(({ source }) => source)).toEqual([]);
  });
}
