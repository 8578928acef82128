import { type DatabaseConnection, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** The fence of a restored database; while it stands, the service serves only reads. */
export interface Fence {
  readonly id: number;
  readonly raisedAt: Date;
  /** The database lacks what happened after this moment. */
  readonly restoredTo: Date;
  /** When the operations of the providers were booked completely; null: not yet. */
  readonly bookedAt: Date | null;
}

/** The fence, if there is one. */
export const standingFence = (database: Database): Promise<Fence | undefined> =>
  database
    .selectFrom('maintenance_fences')
    .select(['id', 'raised_at as raisedAt', 'restored_to as restoredTo', 'booked_at as bookedAt'])
    .where('state', '=', 'MAINTENANCE')
    .executeTakeFirst();

/** What processes look at before they change or send anything. */
export interface FenceFacts {
  readonly isFenced: boolean;
  /** Of PostgreSQL: a promotion or a restore begins another one. Null on a standby. */
  readonly timeline: number | null;
  /** The one that an operator has accepted last, or the first one. */
  readonly acceptedTimeline: number;
  readonly now: Date;
}

/** The timeline of the server, as names of its log begin; null on a standby, which has none to write. */
const timeline = sql<number | null>`case when not pg_is_in_recovery()
  then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end`;

/** Whether the fence stands, the timeline, and what time it is at the database, in one round trip. */
const fenceFacts = sql<FenceFacts>`
  select exists (select from maintenance_fences where state = 'MAINTENANCE') as "isFenced",
    ${timeline} as timeline, (select timeline from database_timeline) as "acceptedTimeline",
    clock_timestamp() as now`;

export const readFence = async (database: Database): Promise<FenceFacts> =>
  only(await fenceFacts.execute(database));

/** The same on one connection, of which no pool knows yet. */
export const readFenceOn = async (
  connection: DatabaseConnection,
  database: Database,
): Promise<FenceFacts> => only(await connection.executeQuery(fenceFacts.compile(database)));

function only({ rows }: { readonly rows: readonly FenceFacts[] }): FenceFacts {
  const [found] = rows;
  if (!found) throw new Error('The database has no time');
  return found;
}

/** Accepts the present timeline. */
export async function acceptTimeline(transaction: DatabaseTransaction): Promise<void> {
  await sql`
    update database_timeline set timeline = ${timeline}, accepted_at = clock_timestamp()`.execute(
    transaction,
  );
}

/** How commits reach standbys, as the settings of PostgreSQL say it. */
export async function replicationSettings(
  database: Database,
): Promise<{ readonly synchronousCommit: string; readonly standbyNames: string }> {
  const { rows } = await sql<{ synchronousCommit: string; standbyNames: string }>`
    select current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "standbyNames"`.execute(database);
  return rows[0] ?? { synchronousCommit: '', standbyNames: '' };
}

/** Raises the fence; returns its id. Only one can stand. */
export async function raiseFence(
  transaction: DatabaseTransaction,
  restoredTo: Date,
): Promise<number> {
  const { id } = await transaction
    .insertInto('maintenance_fences')
    .values({ restored_to: restoredTo, state: 'MAINTENANCE' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Records that everything that the providers did is booked. */
export async function markBooked(transaction: DatabaseTransaction, fenceId: number) {
  await transaction
    .updateTable('maintenance_fences')
    .set({ booked_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', fenceId)
    .execute();
}

/** Lifts the fence. */
export async function liftFence(transaction: DatabaseTransaction, fenceId: number) {
  await transaction
    .updateTable('maintenance_fences')
    .set({ state: 'LIFTED', lifted_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', fenceId)
    .execute();
}

/** The newest transfer or operation: the database was restored to this moment or a later one. */
export async function newestChange(database: Database): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select greatest(
      (select created_at from ledger_transfers order by id desc limit 1),
      (select max(created_at) from operations)) as at`.execute(database);
  return rows[0]?.at ?? null;
}

/** The numbers of events have an epoch of their own (src/db/events/epoch.ts). */
const EVENT_NUMBERS = 'event_numbers';

/**
 * Advances every identity, so that no number is given again that was given since the backup: the
 * providers, Temporal and companies know these numbers. Returns how many identities it advanced.
 */
export async function skipIdentities(
  transaction: DatabaseTransaction,
  numbers: number,
): Promise<number> {
  const { rows } = await sql<{ sequence: string }>`
    select format('%I.%I', schemaname, sequencename) as sequence from pg_sequences
    where schemaname = 'public' and sequencename <> ${EVENT_NUMBERS}
    order by sequencename`.execute(transaction);
  for (const { sequence } of rows)
    await sql`
      select setval(${sequence}::regclass, last_value + ${numbers})
      from ${sql.raw(sequence)}`.execute(transaction);
  return rows.length;
}
