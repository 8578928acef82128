-- Requests that change something, each done once; and what is counted of them for limits.

-- A request that changes something, by its idempotency key, with its answer.
create table operations (
  id text primary key,
  created_at timestamptz not null default now(),
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  kind text not null,
  request_id uuid not null,
  -- Keyed digest of the request's content.
  request_digest text not null,
  -- REFUSED: before anything was held, so the key is free for a corrected request.
  status text not null check (status in ('RUNNING', 'SUCCEEDED', 'REFUSED', 'FAILED')),
  outcome jsonb,
  -- Null while it runs, and for operations that one statement begins and settles.
  settled_at timestamptz,
  -- When a caller got the answer "accepted", and the number in that answer.
  accepted_at timestamptz,
  check ((status = 'RUNNING') = (outcome is null))
);
create index operations_by_age on operations (created_at);
create index operations_redeeming_by_content
  on operations (company_kind, company_id, request_digest) where kind = 'redeem-gift';

-- A request without a key whose callers were told to repeat it.
create table left_requests (
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  request_digest text not null,
  -- When the first of the callers who were told to repeat had begun to wait.
  left_at timestamptz not null,
  -- When the first of them came back. Null: none has come back yet.
  taken_at timestamptz,
  primary key (company_kind, company_id, request_digest)
);
create index left_requests_by_age on left_requests (left_at);

-- The endpoint and path of a signed body or message, so that it cannot be replayed elsewhere.
create table signed_requests (
  merchant_id bigint not null references merchants,
  -- 'body:<digest>' is bound to an endpoint, 'message:<digest>' to a body.
  subject text not null,
  bound_to text not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, subject)
);
create index signed_requests_by_age on signed_requests (created_at);

-- The used budgets of a company on one day (UTC).
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

-- The spending of a partner or key with a limit on one day (UTC).
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

-- The events of one phone number on one day (UTC); rows only while a setting limits it.
create table number_daily_counts (
  -- Keyed: the number itself is not here.
  number_digest bytea not null,
  day date not null,
  vouchers integer not null default 0,
  redemptions integer not null default 0,
  topups integer not null default 0,
  -- The limits when it was last counted; null where there is none.
  vouchers_limit integer,
  redemptions_limit integer,
  topups_limit integer,
  primary key (number_digest, day),
  constraint number_daily_counts_within_limits check (vouchers <= vouchers_limit
    and redemptions <= redemptions_limit and topups <= topups_limit)
);
create index number_daily_counts_by_day on number_daily_counts (day);
