import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { brokenAccounts, entriesOf } from './account-invariants.ts';
import { type ChangedSubject, idsOf } from './changed-subjects.ts';
import { brokenSubjects } from './subject-invariants.ts';

/** Changes that a reading of the known faults looks at: faulty ones are few, new ones wait for minutes. */
const LOOKED_AT = 10_000;

/** Compares the balances with the sums, and what is not in those yet; reads in one snapshot. */
export async function compareAccounts(transaction: Database): Promise<string[]> {
  const checkpoints = await transaction
    .selectFrom('book_checkpoints')
    .select(['source', 'checked_to'])
    .execute();
  const after = (source: 'sums' | 'holdings') =>
    checkpoints.find((one) => one.source === source)?.checked_to ?? 0;
  return brokenAccounts(transaction, {
    entries: sql`
      select account_id, amount from checked_balances
      union all ${entriesOf(sql`> ${after('sums')}`)}`,
    holdings: sql`
      select partner_id, remaining, held from checked_holdings
      union all
      select partner_id, amount, 0 from vouchers where id > ${after('holdings')}
      union all
      select partner_id, remaining, held from unchecked_changes where partner_id is not null`,
  });
}

/** The faults of the books, as far as they are known. */
export interface KnownFaults {
  /** One line each. */
  readonly faults: readonly string[];
  /** False while the sums of accounts are added up anew, so that balances cannot be compared. */
  readonly areBalancesCompared: boolean;
}

/**
 * The faults of the books as a snapshot sees them: of the accounts, and of what the checks found faulty
 * or have yet to look at. Only reads, and costs no more than what is new.
 */
export async function readKnownFaults(snapshot: Database): Promise<KnownFaults> {
  const { rows } = await sql<ChangedSubject>`
    select distinct subject, id from (
      select subject, id from unchecked_changes limit ${LOOKED_AT}) as changes`.execute(snapshot);
  const faults = await brokenSubjects(snapshot, idsOf(rows));
  const { rows: addedUp } = await sql`
    select from book_checkpoints where source = 'holdings' and checked_to >= 0`.execute(snapshot);
  const areBalancesCompared = addedUp.length > 0;
  const accounts = areBalancesCompared ? await compareAccounts(snapshot) : [];
  return {
    faults: [...new Set([...accounts, ...faults.map(({ line }) => line)])],
    areBalancesCompared,
  };
}
