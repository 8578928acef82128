import { type Kysely, sql } from 'kysely';

/** Made concurrently before this migration, where the table exists. */
export const indexes = {
  verification_attempts_by_age: { table: 'verification_attempts', columns: '(created_at)' },
};

/**
 * Wrong verification codes are counted for each company and over a voucher's life, and wrong codes
 * and messages for each company and day.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
  await sql`
    -- Over the voucher's life: neither a right code nor time clears it.
    alter table vouchers add column wrong_codes integer not null default 0;
    update vouchers set wrong_codes = counted.wrong_codes
      from (select voucher_id, count(*) as wrong_codes from verification_attempts group by voucher_id)
        as counted
      where vouchers.id = counted.voucher_id;

    -- Null in rows from before: they count for every company until their day is over.
    alter table verification_attempts add column company_kind text
      check (company_kind in ('partner', 'merchant'));
    alter table verification_attempts add column company_id bigint;
    -- An operation may be tried again with another code, or for another claim; the same code for the
    -- same claim is one guess, however often it is compared.
    alter table verification_attempts add column request_digest text;
    alter table verification_attempts add column claim_id text;
    create unique index verification_attempts_once
      on verification_attempts (operation_id, request_digest, claim_id);

    -- Null: six.
    alter table voucher_claims add column code_digits smallint;

    -- Null: as the settings say.
    alter table partners add column messages_per_day integer check (messages_per_day > 0);
    alter table partners add column wrong_codes_per_day integer check (wrong_codes_per_day > 0);
    alter table merchants add column messages_per_day integer check (messages_per_day > 0);
    alter table merchants add column wrong_codes_per_day integer check (wrong_codes_per_day > 0);

    -- What a company's requests have used of its budgets on one day (UTC).
    create table company_daily_counts (
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      day date not null,
      messages integer not null default 0,
      wrong_codes integer not null default 0,
      -- When the budget was reached first: the alarm.
      messages_spent_at timestamptz,
      wrong_codes_spent_at timestamptz,
      -- Until when the turns of a company that is slowed are given away.
      next_turn_at timestamptz,
      primary key (company_kind, company_id, day)
    );
    create index company_daily_counts_by_day on company_daily_counts (day);
  `.execute(database);
}
