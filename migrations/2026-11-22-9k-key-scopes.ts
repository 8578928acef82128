import { type Kysely, sql } from 'kysely';

/** What each API key may do. Keys from before may do everything. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_keys add column scopes text[] not null default '{read,vouchers,topups}'
      check (scopes <@ '{read,vouchers,topups}' and cardinality(scopes) > 0);

    -- Merchants send no top-ups.
    update api_keys set scopes = '{read,vouchers}' where merchant_id is not null;
  `.execute(database);
}
