import { type Kysely, sql } from 'kysely';

/**
 * The id of a top-up's workflow names its number, so that people can read it, and is kept on its row.
 * What was recorded before has null here and keeps the id that is made of its operation.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table topups add column workflow_id text`.execute(database);
}
