-- Airtime and package top-ups, each with its attempts.

-- A top-up that a partner ordered.
create table topups (
  -- The transaction's number, taken before its workflow is started.
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  operation_id text not null unique,
  workflow_id text not null,
  -- Of the request whose content this is.
  request_digest text not null,
  partner_id bigint not null references partners,
  kind text not null check (kind in ('AIRTIME', 'PACKAGE')),
  -- As the partner asked for it; whether there is such a product is looked at before the hold.
  product_id bigint,
  -- The charge of the partner; the price of a package is known once its money is held.
  amount numeric(20, 6) check (amount > 0),
  msisdn text not null,
  -- Known once its money is held.
  operator text check (operator in ('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA')),
  status text not null default 'PENDING'
    check (status in ('PENDING', 'PROCESSING', 'UNKNOWN', 'SUCCESS', 'FAILED')),
  attempt integer not null default 0,
  provider_reference text,
  message text,
  exchange_rate text not null,
  currency text not null,
  originating_country text not null,
  foreign_currency_amount text
);
create index topups_by_partner on topups (partner_id, id desc);
create index topups_by_partner_and_time on topups (partner_id, created_at, id);
create index topups_by_partner_and_amount on topups (partner_id, amount, id);
create index topups_failed on topups (partner_id, created_at) where status = 'FAILED';
create index topups_pending on topups (created_at) where status = 'PENDING';
create index topups_by_number_key on topups (split_part(msisdn, '.', 1), id);
create index topups_with_number on topups (created_at) where msisdn <> 'erased';

create function check_topup_status() returns trigger language plpgsql as $$
begin
  if not (old.status, new.status) in (
    ('PENDING', 'PROCESSING'), ('PENDING', 'FAILED'),
    ('PROCESSING', 'UNKNOWN'), ('PROCESSING', 'SUCCESS'), ('PROCESSING', 'FAILED'),
    ('UNKNOWN', 'SUCCESS'), ('UNKNOWN', 'FAILED'),
    ('FAILED', 'PROCESSING'),
    -- Delivered late, and taken back.
    ('FAILED', 'SUCCESS'), ('SUCCESS', 'FAILED')
  ) then
    raise exception 'a top-up cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'topups_status_moves';
  end if;
  return new;
end $$;
create trigger topups_status before update on topups
  for each row when (old.status <> new.status) execute function check_topup_status();

-- A sending of a top-up's value to a provider, or its hold before that.
create table topup_attempts (
  topup_id bigint not null references topups,
  attempt integer not null check (attempt > 0),
  -- The request that made the attempt; the ledger's transfers carry it too.
  operation_id text not null unique,
  -- Ours, towards the provider: never two sendings of value under one.
  reference text not null unique,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  msisdn text not null,
  -- Of a package: frozen, whatever becomes of the product.
  provider_product_id integer,
  status text not null default 'HELD' check (status in ('HELD', 'POSTED', 'VOIDED')),
  provider_message text,
  -- These columns mean the same as in redemptions.
  not_done_by text
    constraint topup_attempts_not_done_by check (not_done_by in ('provider', 'service', 'staff')),
  is_done boolean not null default false,
  changed_at timestamptz,
  charged boolean not null default false,
  primary key (topup_id, attempt)
);
create unique index topup_attempts_held on topup_attempts (topup_id) where status = 'HELD';
create index topup_attempts_by_end on topup_attempts (settled_at) where status = 'POSTED';
-- Attempts whose delivery came after the first answer, or was taken back after it: few.
create index topup_attempts_delivered_otherwise on topup_attempts (
  (case when status = 'POSTED' then settled_at else changed_at end))
  where (status = 'POSTED') <> (is_done or charged);
create index topup_attempts_by_number_key on topup_attempts (split_part(msisdn, '.', 1), topup_id);

-- A request for a retry, written before its workflow is called; deleted when it is refused.
create table topup_retries (
  operation_id text primary key,
  topup_id bigint not null references topups,
  -- The attempt that it asks for; another request may have made it.
  attempt integer not null check (attempt > 0),
  -- Null: the number of the attempt before.
  msisdn text,
  request_digest text not null,
  created_at timestamptz not null default now(),
  -- Neither begun nor answered.
  is_open boolean not null default true
);
create index topup_retries_open on topup_retries (created_at) where is_open;
create index topup_retries_by_topup on topup_retries (topup_id);
