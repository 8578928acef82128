-- Addresses of companies that events are delivered to, their secrets, and the deliveries.

-- An address of a company.
create table webhook_endpoints (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  created_by text not null,
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  url text not null,
  description text not null,
  -- Null: events of every type.
  types text[] check (cardinality(types) > 0),
  status text not null default 'ACTIVE'
    check (status in ('ACTIVE', 'DISABLED', 'SWITCHED_OFF', 'REMOVED')),
  status_since timestamptz not null default now(),
  status_reason text,
  -- The number of the last event that was made a delivery, or passed over.
  cursor bigint not null,
  -- When workers start or signal its workflow, unless the workflow has put it off. Null: never.
  wake_at timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz
);
create index webhook_endpoints_by_company on webhook_endpoints (company_kind, company_id)
  where status <> 'REMOVED';
create index webhook_endpoints_to_wake on webhook_endpoints (wake_at)
  where wake_at is not null;
create index webhook_endpoints_failing on webhook_endpoints (id)
  where failing_since is not null or status = 'SWITCHED_OFF';

-- A secret that signs an endpoint's deliveries.
create table webhook_secrets (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  endpoint_id bigint not null references webhook_endpoints,
  ciphertext text not null,
  -- Until then both secrets sign. Null: the present one.
  expires_at timestamptz
);
create unique index webhook_secrets_present on webhook_secrets (endpoint_id)
  where expires_at is null;
create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id);

-- An event for an endpoint.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  endpoint_id bigint not null references webhook_endpoints,
  -- Null: a test event, which is not in the log.
  event_number bigint,
  type text not null,
  subject text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Since it was made, or sent again.
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- When an attempt that fails is the last.
  retry_until timestamptz not null,
  last_attempt_at timestamptz,
  last_status_code integer,
  last_milliseconds integer,
  last_answer text,
  last_problem text,
  unique (endpoint_id, event_number)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at)
  where status = 'PENDING';
create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, subject, id)
  where status = 'PENDING';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id)
  where status = 'FAILED';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
