import { sql } from 'kysely';
import {
  type Database,
  type DatabaseTransaction,
  firstValue,
  inSnapshot,
  lockName,
  onlyRow,
  type Sql,
} from '../connection.ts';
import type { BookCheckpointsTable, Schema } from '../generated/tables.ts';

/** A table that is added up, or checked in the order of ids. */
export type BookSource = BookCheckpointsTable['source'];

/** A part of a source: the ids after one up to another, or the hours since 1970 from one until before another. */
export interface BookSpan {
  readonly after: number;
  readonly to: number;
}

/** How far a source can be read for good, and in which spans. */
interface Watermark {
  /** Of ids: the table that has them. */
  readonly table?: keyof Schema;
  /** The place up to which nothing is to come any more. */
  settledTo(database: Database, source: BookSource, settleSeconds: number): Promise<number>;
  /** The end of the next span: after a place, and at most at another. */
  nextEnd(database: Database, after: number, upTo: number): Promise<number>;
}

/** A table that is read once, in the order of a watermark; a row of `book_checkpoints` says how far. */
export interface Followed {
  readonly source: BookSource;
  readonly watermark: Watermark;
}

/** How the whole check compares. */
export interface VerifyOptions {
  /** Rows that one statement reads at most. */
  readonly batchSize: number;
  /** Called with the progress. */
  readonly note: (progress: string) => void;
}

/** Sums that the check of the books keeps. */
export interface Rollup extends Followed {
  /** They have the sums; emptied where these are added up again, but for the rows of a condition. */
  readonly tables: Readonly<Partial<Record<keyof Schema, { readonly keeps?: Sql }>>>;
  /** SQL statements that add what is in a span. */
  add(span: BookSpan): readonly Sql[];
  /** SQL statements that run before the first span. */
  readonly begin?: readonly Sql[];
  /** Compares the sums, and what is newer, with the balances: one line per fault. Every check does. */
  compare?(snapshot: Database): Promise<string[]>;
  /** Compares the rows with the balances, and the sums with either: one line per fault. Only reads. */
  verify(database: Database, options: VerifyOptions): Promise<string[]>;
}

/**
 * Longer than a statement may take: a transaction that took an id before an end was noted has by
 * then written its row, or failed.
 */
const SETTLE_SECONDS = 15;

/**
 * The ids of a table. Identities commit out of order, so an id is settled where every transaction
 * that can have taken a lower one has ended.
 */
export const byId = (table: keyof Schema, batchSize: number): Watermark => ({
  table,
  async settledTo(database, source, settleSeconds) {
    return await firstValue<number>(database, 0)`
      select case when next_xid <= pg_snapshot_xmin(pg_current_snapshot())
          and next_at <= clock_timestamp() - make_interval(secs => ${settleSeconds})
        then next_to else greatest(checked_to, 0) end
      from book_checkpoints where source = ${source}`;
  },
  // Rows are counted, because after a restore many ids are skipped.
  async nextEnd(database, after, upTo) {
    const { last, count } = await onlyRow<{ last: number | null; count: number }>(database)`
      select max(id) as last, count(1) as count from (
        select id from ${sql.table(table)} where id > ${after} and id <= ${upTo}
        order by id limit ${batchSize}) as batch`;
    return last === null || count < batchSize ? upTo : last;
  },
});

/** Hours that are added up together where many are left, as after a long pause. */
const HOURS_AT_ONCE = 24;

/**
 * The hours of UTC that have been over for five minutes. Rows are dated by the start of their transaction, and no
 * transaction of the service lasts a minute.
 *
 * @param openSince SQL expression: since when rows may still be deleted; null where none may
 */
export const byHour = (openSince: Sql = sql`null`): Watermark => ({
  async settledTo(database) {
    return await firstValue<number>(database, 0)`
      select floor(extract(epoch from least(now() - interval '5 minutes', ${openSince})) / 3600)::bigint`;
  },
  // The first span begins in 1970, and ends soon after the first transfer or voucher.
  async nextEnd(database, after, upTo) {
    const first = await firstValue<number>(database)`
      select floor(extract(epoch from least(
        (select created_at from ledger_transfers order by id limit 1),
        (select created_at from vouchers order by id limit 1))) / 3600)::bigint`;
    return Math.min(Math.max(after, first ?? upTo) + HOURS_AT_ONCE, upTo);
  },
});

/** SQL expression: up to where a source has been read for good. */
export const checkedTo = (source: BookSource) =>
  sql<number>`(select checked_to from book_checkpoints where source = ${source})`;

/**
 * The value of `checkedTo`; -1 where the sums were never begun.
 *
 * @throws where the source has no row: its sums would be added up again each time
 */
export async function readCheckedTo(database: Database, source: BookSource): Promise<number> {
  const { place } = await onlyRow<{ place: number }>(database, `No checkpoint of ${source}`)`
    select checked_to as place from book_checkpoints where source = ${source}`;
  return place;
}

/** The greatest id of a table; 0 where it is empty. */
export const newestId = (database: Database, table: keyof Schema) =>
  firstValue<number>(database, 0)`
    select max(id) as id from ${sql.table(table)}`;

/** The spans of a watermark from one place to another. */
export async function* spansOf(
  database: Database,
  watermark: Watermark,
  { after, to }: BookSpan,
): AsyncGenerator<BookSpan> {
  for (let from = after; from < to; ) {
    const end = await watermark.nextEnd(database, from, to);
    yield { after: from, to: end };
    from = end;
  }
}

export interface AdvanceOptions {
  /** The time (milliseconds since 1970) after which the rest is left to the next check. */
  readonly endsAt?: number;
  readonly settleSeconds?: number;
}

/**
 * Works through what follows the checkpoint of a source, each span in a short snapshot, and moves the checkpoint as
 * far as all is settled. False where the time was up.
 *
 * @param isUnsettledRead whether the work is also done for the ids that are not settled yet: the next check repeats it
 */
export async function advance(
  database: Database,
  { source, watermark }: Followed,
  {
    endsAt = Number.POSITIVE_INFINITY,
    settleSeconds = SETTLE_SECONDS,
    isUnsettledRead = false,
  }: AdvanceOptions & { readonly isUnsettledRead?: boolean },
  work: (transaction: Database, span: BookSpan) => Promise<void>,
): Promise<boolean> {
  const settledTo = await watermark.settledTo(database, source, settleSeconds);
  const { table } = watermark;
  const newest = isUnsettledRead && table ? await newestId(database, table) : settledTo;
  const rest = { after: await readCheckedTo(database, source), to: Math.max(settledTo, newest) };
  for await (const span of spansOf(database, watermark, rest)) {
    if (Date.now() > endsAt) return false;
    await inSnapshot(database, async (transaction) => {
      await work(transaction, span);
      const end = Math.min(span.to, settledTo);
      if (end > span.after) await moveCheckpoint(transaction, source, end);
    });
  }
  return true;
}

/** Hours that are over are settled, so their checkpoint has no end to reach. */
const moveCheckpoint = (database: Database, source: BookSource, to: number) =>
  sql`
    update book_checkpoints set checked_to = ${to}, next_to = greatest(next_to, ${to})
    where source = ${source}`.execute(database);

/** Adds what is settled to sums, and begins them where they are to be; false where the time was up. */
export async function addUp(
  database: Database,
  rollup: Rollup,
  options: AdvanceOptions = {},
): Promise<boolean> {
  const { source, add } = rollup;
  if ((await readCheckedTo(database, source)) < 0) await begin(database, rollup, []);
  return await advance(database, rollup, options, async (transaction, span) => {
    for (const statement of add(span)) await statement.execute(transaction);
  });
}

/** Empties sums and begins them again, as where they were found to differ from the rows; checks add up the rows. */
export const restart = (database: Database, rollup: Rollup): Promise<void> =>
  begin(
    database,
    rollup,
    Object.entries(rollup.tables).map(
      ([table, { keeps = sql`false` }]) => sql`delete from ${sql.table(table)} where not ${keeps}`,
    ),
  );

/** The lock of those who archive or restore a day, or begin sums: a file stands for the sums that are kept. */
export const KEPT_SUMS_LOCK = 'ledger-archives';

/**
 * Begins sums in one transaction: a reader of sums and newer rows never sees the sums without their beginning.
 * It is no snapshot, which would be older than the lock.
 */
async function begin(
  database: Database,
  { source, begin: first = [] }: Rollup,
  emptying: readonly Sql[],
): Promise<void> {
  const work = async (transaction: Database) => {
    await lockName(transaction as DatabaseTransaction, KEPT_SUMS_LOCK);
    for (const statement of [...emptying, ...first]) await statement.execute(transaction);
    await moveCheckpoint(transaction, source, 0);
  };
  await (database.isTransaction ? work(database) : database.transaction().execute(work));
}

/**
 * Notes the newest ids as the next ends, where the last ones have been reached. An end of another
 * server, whose transactions have higher numbers, is replaced.
 */
export async function noteNextEnds(
  database: Database,
  followed: readonly Followed[],
): Promise<void> {
  const newest = followed.flatMap(({ source, watermark: { table } }) =>
    table ? [sql`(${source}, (select max(id) from ${sql.table(table)}))`] : [],
  );
  await sql`
    update book_checkpoints
    set next_to = greatest(newest.id, 0), next_xid = pg_snapshot_xmax(pg_current_snapshot()),
      next_at = clock_timestamp()
    from (values ${sql.join(newest)}) as newest (source, id)
    where newest.source = book_checkpoints.source and (checked_to >= next_to and id > next_to
      or next_xid > pg_snapshot_xmax(pg_current_snapshot()))`.execute(database);
}
