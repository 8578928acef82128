import { sql } from 'kysely';
import type { NumberStorage } from '../../domain/phone.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** How the database wants new numbers stored. */
export async function readNumberStorage(database: Database): Promise<NumberStorage> {
  const { sealed_since } = await database
    .selectFrom('number_storage')
    .select('sealed_since')
    .executeTakeFirstOrThrow();
  return sealed_since === null ? 'clear' : 'sealed';
}

/** From now on new numbers are sealed; false where they have been since before. */
export async function beginSealing(transaction: DatabaseTransaction): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('number_storage')
    .set({ sealed_since: sql<Date>`now()` })
    .where('sealed_since', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
