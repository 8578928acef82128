-- Providers of text messages, payments and top-ups: who serves what, who was asked, and what they told.

-- A rule by which a provider serves operations. Orders without a deciding route go to the default
-- provider.
create table provider_routes (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  kind text not null check (kind in ('sms', 'payout', 'topup-airtime', 'topup-package')),
  -- The first position is asked first; null conditions hold always.
  position integer not null check (position between 1 and 1000),
  provider text not null,
  -- The share among routes of the same position.
  weight integer not null default 1 check (weight between 1 and 1000),
  operator text check (operator in ('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA')),
  partner_id bigint references partners,
  merchant_id bigint references merchants,
  amount_from numeric(20, 6) check (amount_from >= 0),
  amount_to numeric(20, 6),
  is_enabled boolean not null default true,
  check (amount_to >= coalesce(amount_from, 0)),
  check (kind <> 'sms' or amount_from is null and amount_to is null),
  check (kind in ('sms', 'payout') or merchant_id is null)
);

-- What one running worker knows of a provider: the state of its circuit breaker, for operators.
create table provider_states (
  -- As Temporal shows it: process and host.
  worker text not null,
  provider text not null,
  state text not null check (state in ('closed', 'half-open', 'open')),
  takes_calls boolean not null,
  has_money boolean not null,
  -- Since when it takes calls, or takes none.
  since timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- A worker that runs has told it again by then.
  expires_at timestamptz not null,
  primary key (worker, provider)
);

-- A text message that another provider was asked to send, because the first certainly did not send it.
create table message_failovers (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  message_id bigint not null references messages,
  from_provider text not null,
  to_provider text not null check (to_provider <> from_provider),
  -- The message of the first provider.
  message text not null
);
create index message_failovers_of_message on message_failovers (message_id, id);
create index message_failovers_by_age on message_failovers (at);

-- The callback of M-Pesa about a payment or an inquiry, which it answers by callbacks only.
create table mpesa_results (
  id bigint generated always as identity primary key,
  received_at timestamptz not null default now(),
  -- Our reference of the payment.
  reference uuid not null,
  kind text not null check (kind in ('payment', 'inquiry')),
  -- Of the provider, one for each request: a repeated callback adds nothing.
  conversation_id text not null,
  result_code text not null,
  description text not null,
  -- The status of the payment in the answer to an inquiry.
  transaction_status text,
  receipt text,
  -- The value that differs from ours; of an amount only where it cannot be read.
  difference text check (difference in ('reference', 'amount', 'payee')),
  -- The amount of the provider, if nothing but the amount differs.
  other_amount numeric(20,6),
  -- When an inquiry of ours was answered with it.
  used_at timestamptz,
  unique (reference, kind, conversation_id)
);
create index mpesa_results_by_age on mpesa_results (received_at);
