import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { BookSource } from '../schema/all-tables.ts';

/**
 * A transfer is dated by the start of its transaction, as are all rows and a payment that is settled, and no
 * transaction of the service lasts a minute: an hour that ended before gets no more of them.
 */
const SETTLED_AFTER = sql`interval '5 minutes'`;

/** What is added up by hours of UTC; its checkpoint is in hours since 1970. */
type HourSource = Extract<BookSource, 'hour-sums' | 'row-counts'>;

/** SQL expression: the time before which all is in what is added up by hours. */
export const settledHoursEnd = (source: HourSource) => sql<Date>`to_timestamp((
  select checked_to from book_checkpoints where source = ${source}) * 3600)`;

/** SQL condition: a time is in the hours from one until before another. */
export const isInHours = (time: RawBuilder<unknown>, from: number, before = from + 1) =>
  sql`(${time} >= to_timestamp(${from}::bigint * 3600)
    and ${time} < to_timestamp(${before}::bigint * 3600))`;

/** What is over is settled, so the checkpoint has no end to reach. */
export const moveHours = (database: Database, source: HourSource, to: number) =>
  database
    .updateTable('book_checkpoints')
    .set({ checked_to: to, next_to: to })
    .where('source', '=', source)
    .where('checked_to', '<', to)
    .execute();

/**
 * The hour before that of the first transfer or voucher, since one with a later id may have begun there; and the
 * one that is not over yet.
 */
export async function readHours(database: Database): Promise<{ first: number; end: number }> {
  const { rows } = await sql<{ first: number | null; end: number }>`
    select floor(extract(epoch from least(
        (select created_at from ledger_transfers order by id limit 1),
        (select created_at from vouchers order by id limit 1))) / 3600)::bigint - 1 as first,
      floor(extract(epoch from now() - ${SETTLED_AFTER}) / 3600)::bigint as end`.execute(database);
  const { first = null, end = 0 } = rows[0] ?? {};
  return { first: first ?? end, end };
}
