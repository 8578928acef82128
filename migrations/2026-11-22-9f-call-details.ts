import { type Kysely, sql } from 'kysely';

/**
 * What was wrong with a call, for the log of calls in the portal: the wrong fields, or the mistake of
 * a signature. Calls from before have none.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table refused_calls add column detail text`.execute(database);
  await sql`alter table admitted_calls add column detail text`.execute(database);
}
