import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { BookCheckpointsTable } from '../generated/tables.ts';

/**
 * What is checked in the order of its ids; `sums` are those of the accounts, `day-sums` those of days,
 * both by transfers, `holdings` those of the partners, by vouchers. `hour-sums` are those of hours, and
 * `row-counts` the numbers of rows of lists, both in hours since 1970.
 */
export type BookSource = BookCheckpointsTable['source'];

/**
 * Longer than a statement may take: what has drawn an id before an end was noted has by then written its
 * row, or failed.
 */
const SETTLE_SECONDS = 15;

export interface Checkpoint {
  /** Checked for good. */
  readonly checkedTo: number;
  /** All ids up to here are committed or will never come. At least `checkedTo`. */
  readonly settledTo: number;
}

/** The newest id of each source, as its last row shows it. */
const newest = sql`(values
  ('sums', (select max(id) from ledger_transfers)),
  ('day-sums', (select max(id) from ledger_transfers)),
  ('holdings', (select max(id) from vouchers)),
  ('transfers', (select max(id) from ledger_transfers)),
  ('vouchers', (select max(id) from vouchers)),
  ('redemptions', (select max(id) from redemptions)),
  ('status-changes', (select max(id) from voucher_status_changes)))`;

/**
 * How far the books have been checked, and how far they can be. Identities commit out of order, so a
 * checkpoint ends where every transaction that can have drawn a lower id has ended.
 */
export async function readCheckpoints(
  database: Database,
  settleSeconds = SETTLE_SECONDS,
): Promise<Readonly<Record<BookSource, Checkpoint>>> {
  const { rows } = await sql<Checkpoint & { source: BookSource }>`
    select source, checked_to as "checkedTo", case when
        next_xid <= pg_snapshot_xmin(pg_current_snapshot())
        and next_at <= clock_timestamp() - make_interval(secs => ${settleSeconds})
      then next_to else greatest(checked_to, 0) end as "settledTo"
    from book_checkpoints`.execute(database);
  return Object.fromEntries(
    rows.map(({ source, ...checkpoint }) => [source, checkpoint]),
  ) as Record<BookSource, Checkpoint>;
}

/** Moves a checkpoint to an id up to which all is settled. */
export const moveCheckpoint = (database: Database, source: BookSource, to: number) =>
  database
    .updateTable('book_checkpoints')
    .set({ checked_to: to })
    .where('source', '=', source)
    .execute();

/**
 * Notes the newest ids as the next ends, where the last ones have been reached. One of another server,
 * whose transactions have higher numbers, is replaced.
 */
export async function noteNextEnds(database: Database): Promise<void> {
  await sql`
    update book_checkpoints
    set next_to = greatest(newest.id, 0), next_xid = pg_snapshot_xmax(pg_current_snapshot()),
      next_at = clock_timestamp()
    from ${newest} as newest (source, id)
    where newest.source = book_checkpoints.source and (checked_to >= next_to and id > next_to
      or next_xid > pg_snapshot_xmax(pg_current_snapshot()))`.execute(database);
}

/**
 * Adds up all transfers and holdings anew from the next check on, as where they were found to differ
 * from the rows.
 */
export async function restartSums(database: Database): Promise<void> {
  await sql`
    with forgotten as (delete from checked_balances), forgotten_days as (delete from ledger_day_sums),
      forgotten_payouts as (delete from payout_hour_sums), forgotten_sales as (delete from sale_hour_sums)
    update book_checkpoints set checked_to = case source when 'holdings' then -1 else 0 end
    where source in ('sums', 'day-sums', 'hour-sums', 'holdings')`.execute(database);
}

/** Runs work in one snapshot; a transaction keeps its own. */
export const inSnapshot = <Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> =>
  database.isTransaction
    ? work(database)
    : database.transaction().setIsolationLevel('repeatable read').execute(work);
