-- Provider statements, their comparison with our books, and the balances of our accounts there.

-- A provider statement of one day, and how far its comparison is.
create table provider_statements (
  provider text not null,
  day text not null check (day ~ '^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]$'),
  created_at timestamptz not null default now(),
  -- TRYING: it is read again. FAILED: a person must look. TOO_MANY: it differs more often than the
  -- service books without an operator.
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
  -- Lines, and orders of ours without one, that are not explained yet: the day is compared again.
  unexplained integer not null default 0,
  -- Decimal strings by currency.
  fees jsonb not null default '{}',
  -- In our currency, and how often it was corrected.
  booked_fee numeric(20, 6) not null default 0 check (booked_fee >= 0),
  fee_transfers integer not null default 0,
  primary key (provider, day),
  check ((state = 'COMPARED') <= (compared_at is not null))
);
create index provider_statements_unfinished on provider_statements (provider, day)
  where state <> 'COMPARED';

-- A transaction on a provider statement.
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
  -- Of a reversal: the provider's reference of what it takes back.
  original text,
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

-- Readings of the balance of our account with a provider: two of them are compared with what it did.
create table provider_balances (
  provider text not null,
  read_at timestamptz not null,
  currency text not null,
  amount numeric not null,
  primary key (provider, read_at)
);
create index provider_balances_by_age on provider_balances (read_at);
