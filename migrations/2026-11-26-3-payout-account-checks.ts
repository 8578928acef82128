import { type Kysely, sql } from 'kysely';

/** What providers say of payout accounts before the first payment, and whom an operator expects. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table merchant_payout_accounts add column holder_name text;

    create table payout_account_checks (
      payout_account_id bigint not null
        references merchant_payout_accounts (id) on delete cascade,
      provider text not null,
      state text not null check (state in ('open', 'closed', 'name-differs', 'not-offered')),
      -- As the provider tells it.
      holder_name text,
      checked_at timestamptz not null default now(),
      primary key (payout_account_id, provider)
    );
  `.execute(database);
}
