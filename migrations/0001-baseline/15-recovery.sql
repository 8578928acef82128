-- Recovery after a restore: the fence that forbids changes and sending, and what the providers did
-- while our rows of it are lost. Such a payment is in suspense until its request is repeated, which
-- finds it at the provider, or until an operator has assigned it.

-- A time in which the service serves only reads; at most one row is in MAINTENANCE.
create table maintenance_fences (
  id bigint generated always as identity primary key,
  raised_at timestamptz not null default now(),
  -- The restored database lacks what happened after this moment.
  restored_to timestamptz not null,
  state text not null default 'MAINTENANCE' check (state in ('MAINTENANCE', 'LIFTED')),
  -- What the providers did was booked completely.
  booked_at timestamptz,
  lifted_at timestamptz,
  check ((state = 'LIFTED') = (lifted_at is not null))
);
create unique index maintenance_fences_one on maintenance_fences (state)
  where state = 'MAINTENANCE';

-- One row: the timeline of PostgreSQL that operators have accepted. Another one is a promotion or a
-- restore.
create table database_timeline (
  is_only boolean primary key default true check (is_only),
  timeline bigint not null,
  accepted_at timestamptz not null default now()
);
insert into database_timeline (timeline)
  values (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint);

-- A payment or top-up that a provider has and our restored database lacks.
create table recovered_payments (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  fence_id bigint not null references maintenance_fences,
  kind text not null check (kind in ('payment', 'top-up')),
  -- Ours, as the provider has it.
  reference text not null unique,
  -- Of its transfers.
  operation_id text not null unique generated always as ('recovered:' || reference) stored,
  provider text not null,
  provider_reference text,
  -- A pending one may still be done.
  provider_status text not null check (provider_status in ('completed', 'pending')),
  made_at timestamptz not null,
  amount numeric(20, 6) not null check (amount > 0),
  -- Who received it, masked: it may be the number of a person.
  party text,
  merchant_id bigint references merchants,
  voucher_id bigint references vouchers,
  settled_at timestamptz,
  -- Repetition: the request came again, and its own rows book it.
  settled_by text check (settled_by in ('repetition', 'partner', 'platform', 'provider')),
  -- Who paid it, where the partner did.
  partner_id bigint references partners,
  check ((settled_at is null) = (settled_by is null)),
  check ((partner_id is not null) = (settled_by is not null and settled_by = 'partner'))
);
create index recovered_payments_open on recovered_payments (id) where settled_at is null;
create index recovered_payments_of_voucher on recovered_payments (voucher_id)
  where settled_at is null;

-- The rows of the repeated request book the payment, so its suspense ends with them.
create function settle_repeated_payment(repeated text) returns void language plpgsql as $$
declare
  payment record;
begin
  update recovered_payments set settled_at = now(), settled_by = 'repetition'
    where reference = repeated and settled_at is null
    returning operation_id, kind, amount into payment;
  if not found then return; end if;
  insert into ledger_transfers
      (operation_id, step, debit_account_id, credit_account_id, amount)
    select payment.operation_id, 'settle-recovered', clearing.id, suspense.id, payment.amount
    from ledger_accounts as clearing, ledger_accounts as suspense
    where suspense.kind = 'suspense' and clearing.kind = case payment.kind
      when 'payment' then 'mobile-money-clearing' else 'airtime-clearing' end;
end $$;

create function settle_repeated_redemption() returns trigger language plpgsql as $$
begin
  perform settle_repeated_payment(new.payment_reference::text);
  return null;
end $$;
create trigger redemptions_repeated after update of status on redemptions
  for each row when (old.status = 'HELD' and new.status <> 'HELD')
  execute function settle_repeated_redemption();

create function settle_repeated_topup() returns trigger language plpgsql as $$
begin
  perform settle_repeated_payment(new.reference);
  return null;
end $$;
create trigger topup_attempts_repeated after update of status on topup_attempts
  for each row when (old.status = 'HELD' and new.status <> 'HELD')
  execute function settle_repeated_topup();

-- A voucher whose payment is in suspense pays nothing else: its value may be spent. A request that
-- comes again goes to the provider that has already done it: any other would do it once more.
create function await_recovered_payment() returns trigger language plpgsql as $$
begin
  if exists (select from recovered_payments
    where voucher_id = new.voucher_id and settled_at is null
      and reference <> new.payment_reference::text) then
    raise exception 'a payment of voucher % is in suspense since a restore', new.voucher_id
      using errcode = 'check_violation', constraint = 'redemptions_await_recovery';
  end if;
  new.provider := coalesce(
    (select provider from recovered_payments where reference = new.payment_reference::text),
    new.provider);
  return new;
end $$;
create trigger redemptions_await_recovery before insert on redemptions
  for each row execute function await_recovered_payment();

create function choose_recovered_provider() returns trigger language plpgsql as $$
begin
  new.provider := coalesce(
    (select provider from recovered_payments where reference = new.reference), new.provider);
  return new;
end $$;
create trigger topup_attempts_recovered before insert on topup_attempts
  for each row execute function choose_recovered_provider();
