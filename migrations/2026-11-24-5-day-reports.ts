import { type Kysely, sql } from 'kysely';

/** Day reports by e-mail: who gets them, and what is to be sent and was sent. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table report_recipients (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      removed_at timestamptz,
      email text not null
    );
    create unique index report_recipients_present on report_recipients (lower(email))
      where removed_at is null;

    create table report_emails (
      recipient_id bigint not null references report_recipients,
      day text not null check (day ~ '^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]$'),
      created_at timestamptz not null default now(),
      due_at timestamptz not null default now(),
      settled_at timestamptz,
      outcome text check (outcome in ('SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED', 'GIVEN_UP')),
      primary key (recipient_id, day),
      check ((settled_at is null) = (outcome is null))
    );
    create index report_emails_due on report_emails (due_at) where settled_at is null;
    create index report_emails_by_age on report_emails (created_at);
  `.execute(database);
}
