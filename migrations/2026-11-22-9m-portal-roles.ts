import { type Kysely, sql } from 'kysely';

/** What a person may do in the portal. Accounts from before may do everything. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table portal_accounts add column role text not null default 'owner'
      check (role in ('owner', 'finance', 'developer', 'viewer'));
  `.execute(database);
}
