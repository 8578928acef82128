-- The events of companies. Triggers write them in the transaction that makes them true, so no writer can
-- forget one, and none exists for what was rolled back. Workers number them after their commit, because
-- identities commit out of order.

-- Something that happened to a company's voucher, top-up, payout or wallet.
create table events (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- The place in the log. Null until a worker has numbered it.
  number bigint unique,
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  type text not null constraint events_type check (type in (
    'voucher.generated', 'claim.started', 'voucher.redeemed', 'redemption.refused',
    'redemption.reversed', 'voucher.expired', 'voucher.cancelled', 'topup.succeeded',
    'topup.failed', 'topup.late', 'topup.reversed', 'balance.low', 'payout.completed')),
  -- The subject of the event: events of one subject are told in their order.
  subject text not null,
  -- The facts as they were; amounts as decimal strings; phone numbers masked.
  data jsonb not null
);
create index events_to_number on events (id) where number is null;
create index events_by_company on events (company_kind, company_id, number)
  where number is not null;
create sequence event_numbers;
create trigger events_numbered_once before update on events
  for each row when (old.number is not null or new.number is null
    or (old.id, old.created_at, old.company_kind, old.company_id, old.type, old.subject, old.data)
      is distinct from
      (new.id, new.created_at, new.company_kind, new.company_id, new.type, new.subject, new.data))
  execute function refuse_change();
create trigger events_numbered_before_pruned before delete on events
  for each row when (old.number is null) execute function refuse_change();
create trigger events_no_truncate before truncate on events
  for each statement execute function refuse_change();

-- An epoch of the log: the newest row's text is in every cursor, and a restore adds a row.
create table event_epochs (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  epoch text not null unique default substr(md5(gen_random_uuid()::text), 1, 12)
);
create trigger event_epochs_append_only before update or delete on event_epochs
  for each row execute function refuse_change();
insert into event_epochs default values;

create function tell_voucher_generated() returns trigger language plpgsql as $$
begin
  insert into events (company_kind, company_id, type, subject, data)
    values ('partner', new.partner_id, 'voucher.generated', 'voucher:' || new.id,
      jsonb_build_object('voucherId', new.id, 'serialNumber', new.serial_number,
        'amount', new.amount::text, 'denominationId', new.denomination_id,
        'merchantId', new.merchant_id, 'isRestricted', new.is_restricted,
        'owner', masked_msisdn(new.owner_msisdn),
        'sellingPriceUsd', new.selling_price_usd::text,
        'expiresAt', iso_time(new.expires_at)));
  return null;
end $$;
create trigger vouchers_tell_generated after insert on vouchers
  for each row execute function tell_voucher_generated();

create function tell_voucher_ended() returns trigger language plpgsql as $$
begin
  insert into events (company_kind, company_id, type, subject, data)
    values ('partner', new.partner_id, 'voucher.' || lower(new.status), 'voucher:' || new.id,
      jsonb_build_object('voucherId', new.id, 'serialNumber', new.serial_number,
        'amount', new.amount::text, 'returned', new.returned::text));
  return null;
end $$;
create trigger vouchers_tell_ended after update of status on vouchers
  for each row when (old.status <> new.status and new.status in ('EXPIRED', 'CANCELLED'))
  execute function tell_voucher_ended();

create function tell_claim_started() returns trigger language plpgsql as $$
declare
  voucher record;
  merchant bigint;
begin
  select id, partner_id, merchant_id, serial_number, remaining into strict voucher
    from vouchers where id = new.voucher_id;
  merchant := case new.company_kind when 'merchant' then new.company_id
    else voucher.merchant_id end;
  insert into events (company_kind, company_id, type, subject, data)
    select kind, company, 'claim.started', 'voucher:' || voucher.id,
      jsonb_build_object('voucherId', voucher.id, 'serialNumber', voucher.serial_number,
        'merchantId', merchant, 'claimedBy', new.company_kind, 'amount', new.amount::text,
        'remaining', voucher.remaining::text, 'expiresAt', iso_time(new.expires_at))
    from (values ('partner', voucher.partner_id), ('merchant', merchant))
      as owners (kind, company);
  return null;
end $$;
create trigger voucher_claims_tell_started after insert on voucher_claims
  for each row execute function tell_claim_started();

-- The end of a payment, and every later change of who pays for it.
create function tell_redemption_changed() returns trigger language plpgsql as $$
declare
  voucher record;
  told text;
begin
  select id, partner_id, serial_number, remaining, held into strict voucher
    from vouchers where id = new.voucher_id;
  told := case when new.charged then 'voucher.redeemed'
    when old.status = 'HELD' then 'redemption.refused' else 'redemption.reversed' end;
  insert into events (company_kind, company_id, type, subject, data)
    select kind, company, told, 'voucher:' || voucher.id,
      jsonb_build_object('voucherId', voucher.id, 'serialNumber', voucher.serial_number,
        'redemptionId', new.id, 'reference', new.platform_reference,
        'merchantId', new.merchant_id,
        'amount', (new.to_merchant + new.service_fee)::text,
        -- A refused redemption gives its hold back, before or after this row changes.
        'remaining', (voucher.remaining
          + case told when 'redemption.refused' then voucher.held else 0 end)::text)
      || case told when 'redemption.reversed'
        then jsonb_build_object('creditedTo', new.credited_to) else '{}' end
    from (values ('partner', voucher.partner_id), ('merchant', new.merchant_id))
      as owners (kind, company);
  return null;
end $$;
create trigger redemptions_tell_changed after update of status, charged on redemptions
  for each row when (old.status = 'HELD' and new.status <> 'HELD' or old.charged <> new.charged)
  execute function tell_redemption_changed();

create function tell_payout() returns trigger language plpgsql as $$
begin
  insert into events (company_kind, company_id, type, subject, data)
    values ('merchant', new.merchant_id, 'payout.completed', 'redemption:' || new.id,
      jsonb_build_object('redemptionId', new.id, 'voucherId', new.voucher_id,
        'reference', new.platform_reference, 'amount', new.to_merchant::text,
        'serviceFee', new.service_fee::text,
        'providerReference', (select provider_reference from placements
          where operation_id = new.operation_id and kind = 'payment' and done > 0
          order by position limit 1),
        -- Paid after the provider had said that it would not pay.
        'isLate', new.status = 'VOIDED'));
  return null;
end $$;
create trigger redemptions_tell_payout after update of is_done on redemptions
  for each row when (new.is_done and not old.is_done)
  execute function tell_payout();

create function tell_topup_ended() returns trigger language plpgsql as $$
begin
  insert into events (company_kind, company_id, type, subject, data)
    values ('partner', new.partner_id,
      case new.status when 'SUCCESS' then 'topup.succeeded' else 'topup.failed' end,
      'top-up:' || new.id,
      jsonb_build_object('transactionId', new.id, 'kind', new.kind, 'attempt', new.attempt,
        'status', new.status, 'amount', new.amount::text, 'productId', new.product_id,
        'msisdn', masked_msisdn(new.msisdn), 'operator', new.operator,
        'providerReference', new.provider_reference, 'message', new.message));
  return null;
end $$;
-- From FAILED to SUCCESS it goes by a late delivery, which has an event of its own.
create trigger topups_tell_ended after update of status on topups
  for each row when (old.status <> new.status and (new.status = 'FAILED'
    or new.status = 'SUCCESS' and old.status <> 'FAILED'))
  execute function tell_topup_ended();

-- A provider changed its answer about an attempt that had ended.
create function tell_topup_changed() returns trigger language plpgsql as $$
begin
  insert into events (company_kind, company_id, type, subject, data)
    select 'partner', topups.partner_id,
      case when new.is_done then 'topup.late' else 'topup.reversed' end,
      'top-up:' || topups.id,
      jsonb_build_object('transactionId', topups.id, 'kind', topups.kind,
        'attempt', new.attempt, 'msisdn', masked_msisdn(new.msisdn),
        -- A later attempt may have another price.
        'amount', (select ordered::text from placements
          where operation_id = new.operation_id limit 1),
        'providerReference', (select provider_reference from placements
          where operation_id = new.operation_id and provider_reference is not null
            -- Before an answer it is the id of a request alone.
            and said <> 'none'
          order by done > 0 desc, position desc limit 1))
    from topups where topups.id = new.topup_id;
  return null;
end $$;
create trigger topup_attempts_tell_changed after update of is_done on topup_attempts
  for each row when (old.status <> 'HELD' and old.is_done <> new.is_done)
  execute function tell_topup_changed();

create function tell_balance_low() returns trigger language plpgsql as $$
begin
  insert into events (company_kind, company_id, type, subject, data)
    values ('partner', new.partner_id, 'balance.low',
      'wallet:' || new.kind || ':' || new.partner_id,
      jsonb_build_object('wallet', new.kind, 'balance', new.balance::text,
        'threshold', new.low_balance::text));
  return null;
end $$;
create trigger ledger_accounts_tell_low after update of balance on ledger_accounts
  for each row when (old.balance >= new.low_balance and new.balance < new.low_balance)
  execute function tell_balance_low();
