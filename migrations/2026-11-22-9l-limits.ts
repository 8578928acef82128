import { type Kysely, sql } from 'kysely';

/** Daily limits of what a partner, or one of its keys, spends on vouchers and top-ups. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null: no limit. Amounts in ETB.
    alter table partners add column daily_amount numeric(20, 6) check (daily_amount > 0);
    alter table partners add column daily_operations integer check (daily_operations > 0);
    alter table api_keys add column daily_amount numeric(20, 6) check (daily_amount > 0);
    alter table api_keys add column daily_operations integer check (daily_operations > 0);

    -- Spent on one day (UTC); rows of partners and keys with a limit only.
    create table daily_spending (
      subject_kind text not null check (subject_kind in ('partner', 'api-key')),
      subject_id bigint not null,
      day date not null,
      amount numeric(20, 6) not null,
      operations integer not null,
      -- The limits when it was last counted.
      amount_limit numeric(20, 6),
      operations_limit integer,
      primary key (subject_kind, subject_id, day),
      constraint daily_spending_within_limits
        check (amount <= amount_limit and operations <= operations_limit)
    );
    create index daily_spending_by_day on daily_spending (day);
  `.execute(database);
}
