import { type Kysely, sql } from 'kysely';

/** Since when there is news of what a first provider did, such as its callback, that it has not explained; null: none. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table provider_failovers add column doubted_since timestamptz`.execute(database);
}
