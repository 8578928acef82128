-- Gift vouchers, their claims, and their redemptions with what merchants and providers reverse of them.

-- A gift voucher that a partner generated.
create table vouchers (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  operation_id text not null unique,
  -- Of the request that generated it; operations are pruned, vouchers are not.
  request_digest text not null,
  partner_id bigint not null references partners,
  merchant_id bigint not null references merchants,
  denomination_id bigint not null references gift_denominations,
  serial_number text not null unique,
  code_digest bytea not null unique,
  code_ciphertext text not null,
  -- As `hash.masked.keyId.box`, like every number of a person, or `erased`.
  -- Null: anonymous, redeemed without claim and code.
  owner_msisdn text,
  is_restricted boolean not null,
  amount numeric(20, 6) not null check (amount > 0),
  remaining numeric(20, 6) not null,
  held numeric(20, 6) not null default 0,
  -- The amount that expiry or cancellation gave back to the partner.
  returned numeric(20, 6) not null default 0,
  status text not null default 'ACTIVE' check (status in (
    'ACTIVE', 'REDEEM_INITIATED', 'REDEEM_PROCESSING', 'REDEEMED', 'EXPIRED', 'CANCELLED')),
  expires_at timestamptz not null,
  -- When its owner was told that it expires soon, or needed not be told.
  reminded_at timestamptz,
  current_claim_id text,
  -- Wrong codes over the voucher's life: neither a right code nor time clears them.
  wrong_codes integer not null default 0,
  selling_price_usd numeric(20, 6) not null,
  exchange_rate text,
  currency text,
  originating_country text,
  foreign_currency_amount text,
  constraint vouchers_value check (
    remaining >= 0 and held >= 0 and returned >= 0 and remaining + held + returned <= amount),
  constraint vouchers_held check ((held > 0) = (status = 'REDEEM_PROCESSING')),
  constraint vouchers_spent check (
    status not in ('REDEEMED', 'EXPIRED', 'CANCELLED') or remaining = 0)
);
create index vouchers_due on vouchers (expires_at) where status = 'ACTIVE';
create index vouchers_to_remind on vouchers (expires_at)
  where status = 'ACTIVE' and owner_msisdn is not null and reminded_at is null;
create index vouchers_by_partner on vouchers (partner_id, id);
create index vouchers_by_partner_and_time on vouchers (partner_id, created_at, id);
create index vouchers_by_partner_and_expiry on vouchers (partner_id, expires_at, id);
create index vouchers_by_partner_and_status on vouchers (partner_id, status, id);
-- The end of a claim, and the expiry run of those left behind, look a voucher up by its claim.
create index vouchers_by_current_claim on vouchers (current_claim_id)
  where current_claim_id is not null;
create index vouchers_by_number_key on vouchers (split_part(owner_msisdn, '.', 1), id)
  where owner_msisdn is not null;
create index ended_vouchers_with_number on vouchers (expires_at)
  where owner_msisdn <> 'erased' and status in ('REDEEMED', 'EXPIRED', 'CANCELLED');

-- A change of a voucher's status, written by the trigger below.
create table voucher_status_changes (
  id bigint generated always as identity primary key,
  changed_at timestamptz not null default now(),
  voucher_id bigint not null references vouchers,
  from_status text not null,
  to_status text not null
);
create index voucher_status_changes_by_voucher on voucher_status_changes (voucher_id, id);
create trigger voucher_status_changes_append_only before update or delete
  on voucher_status_changes for each row execute function refuse_change();

create function check_voucher_status() returns trigger language plpgsql as $$
begin
  if not (old.status, new.status) in (
    ('ACTIVE', 'REDEEM_INITIATED'),
    ('ACTIVE', 'REDEEM_PROCESSING'),
    -- A payment that was made late is charged to it.
    ('ACTIVE', 'REDEEMED'),
    ('ACTIVE', 'EXPIRED'),
    ('ACTIVE', 'CANCELLED'),
    ('REDEEM_INITIATED', 'ACTIVE'),
    ('REDEEM_INITIATED', 'REDEEM_PROCESSING'),
    ('REDEEM_PROCESSING', 'ACTIVE'),
    ('REDEEM_PROCESSING', 'REDEEMED'),
    ('REDEEMED', 'ACTIVE')
  ) then
    raise exception 'a voucher cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'vouchers_status_moves';
  end if;
  if old.status = 'ACTIVE' and new.status = 'REDEEM_PROCESSING' and new.owner_msisdn is not null
  then
    raise exception 'an owned voucher is not redeemed without a claim'
      using errcode = 'check_violation', constraint = 'vouchers_status_moves';
  end if;
  if old.status = 'REDEEMED' and new.remaining = 0 then
    raise exception 'a redeemed voucher is active again only with the value of a reversal'
      using errcode = 'check_violation', constraint = 'vouchers_status_moves';
  end if;
  insert into voucher_status_changes (voucher_id, from_status, to_status)
    values (new.id, old.status, new.status);
  return new;
end $$;
create trigger vouchers_status before update on vouchers
  for each row when (old.status <> new.status) execute function check_voucher_status();

-- A claim of a voucher's value, which its owner's code redeems.
create table voucher_claims (
  id text primary key,
  -- Made the claim; after a refusal by the SMS provider it may make another.
  operation_id text not null,
  workflow_id text not null,
  created_at timestamptz not null default now(),
  voucher_id bigint not null references vouchers,
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  -- Null: the whole balance.
  amount numeric(20, 6) check (amount > 0),
  -- The amount was the whole balance at the time of the claim, and the voucher has grown since.
  was_whole boolean not null default false,
  -- Fixed at a claim whose merchant is known: a merchant's own, or a partner's claim of a restricted voucher. Null:
  -- the redemption reads it.
  service_fee_percent numeric(7, 4),
  status text not null default 'OPEN'
    check (status in ('OPEN', 'SUPERSEDED', 'EXPIRED', 'CANCELLED', 'REDEEMED', 'REFUSED')),
  expires_at timestamptz not null,
  code_digest text not null,
  code_ciphertext text,
  code_digits smallint not null
);
alter table vouchers add constraint vouchers_current_claim
  foreign key (current_claim_id) references voucher_claims;
create index voucher_claims_by_voucher on voucher_claims (voucher_id);
create unique index voucher_claims_of_operation on voucher_claims (operation_id)
  where status = 'OPEN';
create index voucher_claims_ended_of_operation on voucher_claims (operation_id)
  where status <> 'OPEN';
create index voucher_claims_open on voucher_claims (expires_at) where status = 'OPEN';
-- Claims whose code could not be sent are among these.
create index voucher_claims_cancelled on voucher_claims (expires_at) where status = 'CANCELLED';

-- A code that was compared and found wrong, whatever key the request had.
create table verification_attempts (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  voucher_id bigint not null references vouchers,
  claim_id text not null,
  operation_id text not null,
  request_digest text not null,
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null
);
create index verification_attempts_by_voucher on verification_attempts (voucher_id, created_at);
create index verification_attempts_by_age on verification_attempts (created_at);
-- An operation may be tried again with another code, or for another claim. The same code for the same
-- claim is one guess, however often it is compared.
create unique index verification_attempts_once
  on verification_attempts (operation_id, request_digest, claim_id);

-- A payment of a voucher's value to a merchant.
create table redemptions (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  operation_id text not null unique,
  request_digest text not null,
  voucher_id bigint not null references vouchers,
  claim_id text references voucher_claims,
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  merchant_id bigint not null references merchants,
  to_merchant numeric(20, 6) not null check (to_merchant > 0),
  service_fee numeric(20, 6) not null check (service_fee >= 0),
  -- The first answer; it never changes after the end.
  status text not null default 'HELD' check (status in ('HELD', 'POSTED', 'VOIDED')),
  -- Our reference towards the mobile-money provider, and our reference for tracking and support.
  payment_reference uuid not null unique,
  platform_reference text not null unique,
  payee jsonb not null,
  -- Why the payment was not made at first, and who said so. Null: it was done.
  provider_message text,
  not_done_by text
    constraint redemptions_not_done_by check (not_done_by in ('provider', 'service', 'staff')),
  -- Whether the merchant has been paid by now, and when that last changed after the end.
  is_done boolean not null default false,
  changed_at timestamptz,
  -- Whether the voucher pays for it now; else where its value has gone.
  charged boolean not null default false,
  credited_to text not null default 'voucher' check (credited_to in ('voucher', 'gift'))
);
create index redemptions_by_voucher on redemptions (voucher_id);
create index redemptions_by_merchant on redemptions (merchant_id, id);
create index redemptions_by_merchant_and_time on redemptions (merchant_id, created_at);
create index redemptions_by_end on redemptions (settled_at) where status = 'POSTED';
create index redemptions_held on redemptions (id) where status = 'HELD';
create index redemptions_refused on redemptions (merchant_id, settled_at) where status = 'VOIDED';
create index redemptions_refused_by_end on redemptions (settled_at) where status = 'VOIDED';
-- When a merchant was paid.
create index redemptions_paid on redemptions (merchant_id,
  (case when status = 'POSTED' then settled_at else changed_at end));
-- Payments that a provider or a merchant changed later. The condition has an expression of its own, so
-- that no other statement takes this index for what was reversed.
create index redemptions_paid_otherwise on redemptions (merchant_id,
  (case when status = 'POSTED' then settled_at else changed_at end))
  where (status = 'POSTED') <> is_done;

-- A merchant reversal: the provider takes the payment back. The value returns to the voucher, or to
-- the partner where the voucher has ended.
create table redemption_reversals (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  redemption_id bigint not null references redemptions,
  operation_id text not null unique,
  request_digest text not null,
  -- Our reference towards the mobile-money provider.
  reference uuid not null unique,
  -- Why, in the words of the merchant.
  reason text,
  status text not null default 'PENDING' check (status in ('PENDING', 'SUCCESS', 'FAILED')),
  -- The provider does not say what became of it, or it cannot be booked: a person must look.
  needs_action_since timestamptz,
  provider_reference text,
  provider_message text,
  -- Where the value went. Null unless it was reversed.
  credited_to text check (credited_to in ('voucher', 'gift')),
  check ((status = 'PENDING') = (settled_at is null)),
  check ((status = 'SUCCESS') = (credited_to is not null))
);
-- A reversal that the provider refused changed nothing, so that another may be tried.
create unique index redemption_reversals_once on redemption_reversals (redemption_id)
  where status <> 'FAILED';
create index redemption_reversals_by_redemption on redemption_reversals (redemption_id, id);
create index redemption_reversals_by_provider_reference on redemption_reversals (provider_reference)
  where provider_reference is not null;
create index redemption_reversals_pending on redemption_reversals (id) where status = 'PENDING';
create index redemption_reversals_by_end on redemption_reversals (settled_at)
  where status = 'SUCCESS';
create trigger redemption_reversals_settled_once before update on redemption_reversals
  for each row when (old.status <> 'PENDING') execute function refuse_change();
