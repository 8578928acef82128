import { type Kysely, sql } from 'kysely';

/**
 * Since when there is reason to doubt how a payment or attempt ended, such as a callback; null: none, or its provider has
 * said since how it is. A doubt that stays unanswered is for a person.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const table of ['redemptions', 'topup_attempts'])
    await sql`alter table ${sql.table(table)} add column doubted_since timestamptz`.execute(
      database,
    );
}
