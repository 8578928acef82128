import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';

/** More events than can have been numbered between a backup and its restore. */
const SKIPPED_NUMBERS = 1_000_000_000;

/**
 * Gives the log a new epoch after a restore: cursors from before are refused, because the restore
 * took back events that their readers have. Numbers skip those that were given since the backup, so
 * that no id names two events. Returns the id of the epoch.
 */
export async function renewEventEpoch(transaction: DatabaseTransaction): Promise<number> {
  await sql`
    select setval('event_numbers', last_value + ${SKIPPED_NUMBERS}) from event_numbers`.execute(
    transaction,
  );
  const { id } = await transaction
    .insertInto('event_epochs')
    .defaultValues()
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
