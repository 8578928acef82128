import { type Kysely, sql } from 'kysely';

/** Since when a payment may have been sent to a provider that would pay a repetition again. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table redemptions add column sending_since timestamptz`.execute(database);
}
