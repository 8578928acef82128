import { type Kysely, sql } from 'kysely';

/** A worker that waits for the sending of another one must know since when it is under way. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null once the worker that sends has recorded the outcome.
    alter table messages add column sending_since timestamptz;
  `.execute(database);
}
