import { sql } from 'kysely';
import type { DatabaseTransaction } from './connection.ts';

/** Lets those who lock one name come one after another: the second one waits until the first transaction has ended. */
export async function lockName(transaction: DatabaseTransaction, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
