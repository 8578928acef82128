import { type Kysely, sql } from 'kysely';

/** The time zone that the portal's pages are written in for a person. Null: the market's. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table portal_accounts add column time_zone text check (length(time_zone) <= 64)
  `.execute(database);
}
