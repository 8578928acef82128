import { type Kysely, sql } from 'kysely';

/** How many transactions of a statement took nothing from our account, and are not compared. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table provider_statements add column ignored_count integer not null default 0
  `.execute(database);
}
