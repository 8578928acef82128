-- The requests of staff and operators that bring a case to its end.

-- A repair; each has a workflow of its own.
create table repairs (
  id bigint generated always as identity primary key,
  -- Names its workflow, and what it does elsewhere.
  operation_id text not null unique,
  -- The same form sent twice is one repair.
  request_key text not null unique,
  kind text not null,
  subject_kind text not null
    check (subject_kind in ('voucher', 'redemption', 'top-up', 'deposit', 'partner', 'case')),
  subject_id text not null,
  -- The company of the operation: the repair has its authority, and no other. Null: of no company.
  company_kind text check (company_kind in ('partner', 'merchant')),
  company_id bigint,
  voucher_id bigint references vouchers,
  topup_id bigint references topups,
  arguments jsonb not null,
  -- Personal arguments, such as a number, under a data key.
  sealed_arguments text,
  -- The owner's number before it was corrected. Null for other repairs.
  former_msisdn text,
  -- The value that it is about.
  amount numeric(20, 6) not null check (amount >= 0),
  -- Whether the value goes from one to another: many small ones of one asker count like a large one.
  moves_value boolean not null,
  why text not null,
  asked_at timestamptz not null default now(),
  -- A name, or `staff:` and the id of an account.
  asked_by text not null,
  needs_confirmation boolean not null,
  confirm_until timestamptz not null,
  confirmed_at timestamptz,
  confirmed_by text,
  state text not null
    check (state in ('ASKED', 'READY', 'RUNNING', 'DONE', 'REFUSED', 'EXPIRED')),
  changed_at timestamptz not null default now(),
  -- The result of the repair, or what to do instead.
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
-- The value that one asker moves in a day without a second person is added up.
create index repairs_alone on repairs (asked_at)
  where confirmed_by is null and state in ('READY', 'RUNNING', 'DONE');
create index repairs_of_voucher on repairs (voucher_id, id) where voucher_id is not null;
create index repairs_of_topup on repairs (topup_id, id) where topup_id is not null;
create index repairs_of_case on repairs (subject_id, id) where subject_kind = 'case';
create index repairs_sealed on repairs (changed_at) where sealed_arguments is not null;
-- Support finds a case by the reference under which it was settled by hand, also as not done.
create index repairs_by_reference on repairs ((arguments ->> 'reference'), id)
  where arguments ->> 'reference' is not null;
-- The same by the letter in which a provider gave its answer.
create index repairs_by_letter on repairs ((arguments ->> 'letter'), id)
  where arguments ->> 'letter' is not null;
create index repairs_by_former_number on repairs (split_part(former_msisdn, '.', 1), voucher_id)
  where former_msisdn is not null;

-- The person of the service who deals with something in the queue of the support desk. The queue itself has no table:
-- src/db/lists/desk.ts reads it from the tables of its subjects.
create table desk_assignments (
  kind text not null check (kind in ('undelivered-code', 'unknown', 'repair', 'refused-payment', 'case',
    'low-wallet', 'failing-webhook', 'late-statement')),
  -- Names it among those of its kind.
  subject text not null,
  account_id bigint not null references staff_accounts,
  since timestamptz not null default now(),
  primary key (kind, subject)
);
