import { type Kysely, sql } from 'kysely';

/**
 * The id of a claim's workflow names the voucher, so that people can read it, and is kept on the
 * claim's row. What was started before has null here and keeps the id that is made of its operation.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table voucher_claims add column workflow_id text`.execute(database);
}
