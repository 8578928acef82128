-- What providers did of each order, who bears the difference to our books, and the cases that a
-- person must settle.

-- An order at one provider, under one reference of ours: a payment, a top-up, or the reversal of a payment.
create table placements (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('payment', 'top-up', 'reversal')),
  -- Ours, as the provider has it.
  reference text not null,
  provider text not null,
  -- The operation that holds the money. Null: a restore lost it, and a repeated request finds this row.
  operation_id text,
  voucher_id bigint references vouchers,
  ordered numeric(20, 6) not null check (ordered > 0),
  -- The providers of an order are asked in this order.
  position integer not null default 1,
  placed_at timestamptz not null default clock_timestamp(),
  -- Since when it may have been sent to a provider that would do a repetition again.
  sent_at timestamptz,
  -- The observation of the provider, and the amount that it did by that.
  said text not null default 'none'
    check (said in ('none', 'pending', 'nothing', 'done', 'undone', 'other')),
  done numeric(20, 6) not null default 0 check (done >= 0),
  provider_reference text,
  said_at timestamptz,
  message text,
  -- The message that a person has cleared: the same message opens no case again.
  cleared text,
  -- Whether a person must look at the message; for readers who may not see them.
  is_unclear boolean not null generated always as (said = 'other' and message is distinct from cleared) stored,
  -- Since when there is news that the provider has not explained, such as a callback.
  doubted_at timestamptz,
  -- Since when the provider is asked in vain.
  silent_since timestamptz,
  -- When the provider is asked next. Null: not, or by the workflow of the order.
  ask_at timestamptz,
  unique (reference, provider),
  check ((said = 'none') = (said_at is null)),
  check (done = 0 or said in ('done', 'other'))
);
create index placements_of_operation on placements (operation_id, position);
create index placements_of_voucher on placements (voucher_id) where operation_id is null;
create index placements_by_provider_reference on placements (provider_reference)
  where provider_reference is not null;
create index placements_to_ask on placements (ask_at) where ask_at is not null;

-- The observations of a placement, once they differ: the first answer, and each change. A first
-- answer that a person booked is here at once.
create table observations (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  placement_id bigint not null references placements,
  -- When it was so.
  at timestamptz not null,
  source text not null
    check (source in ('answer', 'inquiry', 'statement', 'recovery', 'person')),
  said text not null,
  done numeric(20, 6) not null,
  provider_reference text,
  message text
);
create index observations_of_placement on observations (placement_id, id);
create index observations_by_time on observations (created_at);
create trigger observations_append_only before update or delete on observations
  for each row execute function refuse_change();

-- The amount that somebody else bears for good, instead of the payer of an order.
create table settlements (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- The operation of the order in the ledger.
  operation_id text not null,
  party text not null check (party in ('partner', 'platform')),
  partner_id bigint references partners,
  -- Negative where it gets something.
  amount numeric(20, 6) not null check (amount <> 0),
  actor text not null,
  note text not null,
  check ((party = 'partner') = (partner_id is not null))
);
create index settlements_of_operation on settlements (operation_id, id);
create trigger settlements_append_only before update or delete on settlements
  for each row execute function refuse_change();

-- Something that a person must settle.
create table cases (
  id bigint generated always as identity primary key,
  subject_kind text not null check (subject_kind in ('order', 'line', 'statement', 'balance')),
  -- An order by its operation in the ledger; a line by provider, day and its references; a provider
  -- statement and a balance by provider and day.
  subject text not null,
  why text not null check (why in ('difference', 'unclear', 'silence', 'unbooked', 'foreign',
    'unread', 'balance')),
  -- The kind of the difference between what providers did and what is paid for, while the case is open.
  difference text check (difference in ('late', 'twice', 'amount', 'taken-back', 'lost')),
  -- The amount in suspense, or in question. Negative: providers did less than is paid for.
  amount numeric(20, 6) not null,
  message text,
  provider text,
  reference text,
  partner_id bigint references partners,
  merchant_id bigint references merchants,
  voucher_id bigint references vouchers,
  topup_id bigint references topups,
  -- Paying its voucher, or repeating its top-up, could pay for the same thing twice.
  is_blocking boolean not null default false,
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  -- Who settled it, and how. Null: it ended by itself.
  closed_by text,
  note text,
  -- Who bears the amount. Null: none was in suspense, or the case ended by itself.
  borne_by text check (borne_by in ('payer', 'partner', 'platform', 'provider'))
);
create unique index cases_open on cases (subject_kind, subject, why) where closed_at is null;
create index cases_of_subject on cases (subject, id);
create index cases_open_by_id on cases (id) where closed_at is null;
create index cases_by_reference on cases (reference, id) where reference is not null;
create index cases_closed on cases (id) where closed_at is not null;
create index cases_closed_of_provider on cases (provider, id) where closed_at is not null;
-- By the beginning of the subject: provider and day.
create index cases_of_day on cases (subject collate "C", id) where subject_kind = 'line';
create index cases_blocking_voucher on cases (voucher_id) where is_blocking and closed_at is null;
create index cases_blocking_topup on cases (topup_id) where is_blocking and closed_at is null;
create index cases_closed_of_voucher on cases (voucher_id, id) where closed_at is not null;
create index cases_closed_of_partner on cases (partner_id, id) where closed_at is not null;
create index cases_closed_of_merchant on cases (merchant_id, id) where closed_at is not null;
create index cases_closed_of_topup on cases (topup_id, id) where closed_at is not null;
