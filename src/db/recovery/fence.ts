import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.js';

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

/** Whether the fence stands, and what time it is at the database, in one round trip. */
export async function lookAtFence(
  database: Database,
): Promise<{ readonly isFenced: boolean; readonly now: Date }> {
  const { rows } = await sql<{ isFenced: boolean; now: Date }>`
    select exists (select from maintenance_fences where state = 'MAINTENANCE') as "isFenced",
      clock_timestamp() as now`.execute(database);
  const [found] = rows;
  if (!found) throw new Error('The database has no time');
  return found;
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
