import { sql } from 'kysely';
import {
  brokenBalances,
  brokenHoldings,
  brokenSubjects,
  entriesOf,
} from '../../src/db/books/invariants.ts';
import type { Database } from '../../src/db/connection.ts';
import { archivedEntries } from '../../src/db/ledger/archives.ts';

const every = sql`is not null`;

/** One line per fault that a transaction sees, none when all is well. */
export async function brokenInvariantsIn(transaction: Database): Promise<string[]> {
  const balances = await brokenBalances(
    transaction,
    sql`${entriesOf(every)} union all select account_id, change from (${archivedEntries()}) as archived`,
  );
  const holdings = await brokenHoldings(
    transaction,
    sql`select partner_id, remaining, held from vouchers`,
  );
  const subjects = await brokenSubjects(transaction, {
    transfer: every,
    voucher: every,
    redemption: every,
    placement: every,
    'top-up': every,
  });
  return [...balances, ...holdings, ...subjects.map(({ line }) => line)];
}

/**
 * Checks the invariants of money and state (I1–I6 and I10) in one snapshot, for tests and benchmarks.
 * Returns one line per fault. A big database is checked in batches (src/db/books).
 */
export const findBrokenInvariants = (database: Database): Promise<string[]> =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(brokenInvariantsIn);
