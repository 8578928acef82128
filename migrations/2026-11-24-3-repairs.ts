import { type Kysely, sql } from 'kysely';

/** What staff and operators ask for, so that a case comes to its end; each has a workflow of its own. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table repairs (
      id bigint generated always as identity primary key,
      -- Names its workflow, and what it does elsewhere.
      operation_id text not null unique,
      -- The same form sent twice is one repair.
      request_key text not null unique,
      kind text not null,
      subject_kind text not null
        check (subject_kind in ('voucher', 'redemption', 'top-up', 'deposit', 'partner')),
      subject_id text not null,
      -- Whose operation it is: it has the authority of this company, and no other.
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      voucher_id bigint references vouchers,
      topup_id bigint references topups,
      arguments jsonb not null,
      -- Personal arguments, such as a number, under a data key.
      sealed_arguments text,
      -- The value that it is about.
      amount numeric(20, 6) not null check (amount >= 0),
      why text not null,
      asked_at timestamptz not null default now(),
      asked_by text not null,
      needs_confirmation boolean not null,
      confirm_until timestamptz not null,
      confirmed_at timestamptz,
      confirmed_by text,
      state text not null
        check (state in ('ASKED', 'READY', 'RUNNING', 'DONE', 'REFUSED', 'EXPIRED')),
      changed_at timestamptz not null default now(),
      -- What came of it, or what to do instead.
      result text,
      constraint repairs_by_two check (confirmed_by <> asked_by),
      constraint repairs_confirmed check (
        not needs_confirmation or confirmed_by is not null
        or state in ('ASKED', 'REFUSED', 'EXPIRED')),
      constraint repairs_ended check (
        (result is not null) = (state in ('DONE', 'REFUSED', 'EXPIRED')))
    );
    -- One of a kind at a time for its subject.
    create unique index repairs_open on repairs (kind, subject_kind, subject_id)
      where state in ('ASKED', 'READY', 'RUNNING');
    create index repairs_underway on repairs (state, id) where state in ('ASKED', 'READY', 'RUNNING');
    create index repairs_of_voucher on repairs (voucher_id, id) where voucher_id is not null;
    create index repairs_of_topup on repairs (topup_id, id) where topup_id is not null;

    -- The repair that makes the attempt itself.
    alter table operator_commands add column repair_id bigint unique references repairs;
  `.execute(database);
}
