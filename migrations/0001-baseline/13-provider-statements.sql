-- Statements of providers, their comparison with our books, and the balances of our accounts there.

-- A provider's statement of one day, and how far its comparison is.
create table provider_statements (
  provider text not null,
  day text not null check (day ~ '^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]$'),
  created_at timestamptz not null default now(),
  state text not null check (state in ('TRYING', 'FAILED', 'TOO_MANY', 'COMPARED')),
  source text check (source in ('api', 'file')),
  -- Its lines; those of other loads are not complete, or were replaced.
  load_id uuid,
  line_count integer not null default 0,
  -- Transactions that took nothing from our account, and are not compared.
  ignored_count integer not null default 0,
  loaded_at timestamptz,
  compared_at timestamptz,
  failing_since timestamptz,
  failure text,
  -- By currency.
  fees jsonb not null default '{}',
  -- In our currency, and how often it was corrected.
  booked_fee numeric(20, 6) not null default 0 check (booked_fee >= 0),
  fee_transfers integer not null default 0,
  primary key (provider, day),
  check ((state = 'COMPARED') <= (compared_at is not null))
);
create index provider_statements_unfinished on provider_statements (provider, day)
  where state in ('FAILED', 'TOO_MANY');

-- A transaction on a statement.
create table provider_statement_lines (
  load_id uuid not null,
  kind text not null check (kind in ('payment', 'reversal', 'top-up')),
  -- A movement of our account that is none of these kinds, such as a transfer.
  is_other boolean not null default false,
  -- Identifies a transaction at its provider.
  provider_reference text not null,
  provider text not null,
  day text not null,
  created_at timestamptz not null default now(),
  reference text,
  status text not null check (status in ('completed', 'pending', 'failed', 'reversed')),
  amount numeric,
  currency text,
  fee numeric check (fee >= 0),
  fee_currency text,
  at timestamptz not null,
  primary key (load_id, kind, provider_reference)
);
create index provider_statement_lines_of_day on provider_statement_lines (provider, day);
create index provider_statement_lines_by_reference
  on provider_statement_lines (provider, reference);
create index provider_statement_lines_by_age on provider_statement_lines (created_at);

-- A difference between a statement and our books.
create table provider_breaks (
  id bigint generated always as identity primary key,
  provider text not null,
  day text not null,
  type text not null check (type in ('missing-here', 'unordered', 'missing-there', 'amount',
    'currency', 'duplicate', 'reversed', 'late')),
  kind text not null check (kind in ('payment', 'reversal', 'top-up')),
  -- What it is about: a day that is compared again finds the same break.
  subject text not null,
  reference text,
  provider_reference text,
  our_status text,
  our_amount numeric(30, 6),
  provider_status text,
  provider_amount numeric(30, 6),
  provider_currency text,
  state text not null default 'OPEN' check (state in ('OPEN', 'CLOSED', 'SETTLED')),
  found_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Why it closed by itself, or what an operator did.
  ended_why text,
  ended_by text,
  unique (provider, day, type, kind, subject),
  check ((state = 'OPEN') = (ended_at is null)),
  check ((state = 'OPEN') = (ended_why is null)),
  check ((state = 'SETTLED') = (ended_by is not null))
);
create index provider_breaks_open on provider_breaks (provider, type) where state = 'OPEN';
-- The list for staff: open ones first, the newest day first.
create index provider_breaks_listed
  on provider_breaks ((state = 'OPEN') desc, day desc, provider, id);

-- The newest known balance of our account with a provider.
create table provider_balances (
  provider text primary key,
  currency text not null,
  amount numeric not null,
  read_at timestamptz not null
);
