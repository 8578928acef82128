import { type Kysely, sql } from 'kysely';

/** The language of a person's pages; null until one is chosen. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table portal_accounts add column language text check (language in ('en', 'am'));
  `.execute(database);
}
