import { type Kysely, sql } from 'kysely';

/**
 * People of the service itself sign in as people of companies do, to pages of their own. An account
 * of no company is staff where it has a row here, and may enter nothing where it has none.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table staff_accounts (
      account_id bigint primary key references portal_accounts,
      name text not null check (length(name) between 1 and 100),
      role text not null check (role in ('AGENT', 'SUPERVISOR', 'OPERATOR'))
    );

    alter table portal_accounts
      drop constraint portal_accounts_check,
      add constraint portal_accounts_of_one_company check (num_nonnulls(partner_id, merchant_id) <= 1);
  `.execute(database);
}
