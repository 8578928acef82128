import { type Kysely, sql } from 'kysely';

/** Bulk orders of people of the portal, whose authority is their account. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table bulk_orders
      alter column api_key_id drop not null,
      alter column token_version drop not null,
      add column portal_account_id bigint references portal_accounts,
      add constraint bulk_orders_authority check (
        num_nonnulls(api_key_id, portal_account_id) = 1
        and (api_key_id is null) = (token_version is null))
  `.execute(database);
}
