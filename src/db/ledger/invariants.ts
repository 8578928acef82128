import { sql } from 'kysely';
import { brokenAccounts, entriesOf } from '../books/account-invariants.ts';
import { brokenSubjects } from '../books/subject-invariants.ts';
import type { Database } from '../connection.ts';

const every = sql`is not null`;

/** One line per fault that a transaction sees, none when all is well. */
export async function brokenInvariantsIn(transaction: Database): Promise<string[]> {
  const accounts = await brokenAccounts(transaction, {
    entries: entriesOf(every),
    holdings: sql`select partner_id, remaining, held from vouchers`,
  });
  const subjects = await brokenSubjects(transaction, {
    transfer: every,
    voucher: every,
    redemption: every,
    placement: every,
    'top-up': every,
  });
  return [...accounts, ...subjects.map(({ line }) => line)];
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
