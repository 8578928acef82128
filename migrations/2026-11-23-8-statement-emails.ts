import { type Kysely, sql } from 'kysely';

/** Monthly statements by e-mail: who wants them, and what is to be sent and was sent. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table portal_accounts
      -- Null: by the role.
      add column statement_by_email boolean,
      -- Months that closed until then are dealt with, so that nobody gets those from before.
      add column statements_until timestamptz not null default now();
    create index portal_accounts_by_statements on portal_accounts (statements_until)
      where disabled_at is null;

    create table statement_emails (
      account_id bigint not null references portal_accounts,
      month text not null check (month ~ '^20[0-9]{2}-(0[1-9]|1[0-2])$'),
      created_at timestamptz not null default now(),
      due_at timestamptz not null default now(),
      settled_at timestamptz,
      outcome text check (
        outcome in ('SENT', 'REFUSED', 'UNKNOWN', 'EMPTY', 'CANCELLED', 'GIVEN_UP')),
      primary key (account_id, month),
      check ((settled_at is null) = (outcome is null))
    );
    create index statement_emails_due on statement_emails (due_at) where settled_at is null;
    create index statement_emails_by_age on statement_emails (created_at);
  `.execute(database);
}
