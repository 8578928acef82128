import { type Kysely, sql } from 'kysely';

/**
 * Reversals of redemptions that merchants ask for (design 10): the provider takes the payment back, and
 * the value returns to the voucher, or to the partner where the voucher has ended. The owner is told.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
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
    -- One that the provider refused changed nothing, so that another may be tried.
    create unique index redemption_reversals_once on redemption_reversals (redemption_id)
      where status <> 'FAILED';
    create index redemption_reversals_by_redemption
      on redemption_reversals (redemption_id, id);
    create index redemption_reversals_pending on redemption_reversals (id)
      where status = 'PENDING';
    create trigger redemption_reversals_settled_once before update on redemption_reversals
      for each row when (old.status <> 'PENDING') execute function refuse_change();

    alter table messages add column reversal_id bigint references redemption_reversals;
    create unique index messages_of_reversal on messages (reversal_id)
      where reversal_id is not null;
    alter table messages drop constraint messages_kind_check,
      add constraint messages_kind_check check (kind in ('VERIFICATION_CODE',
        'REDEMPTION_CONFIRMATION', 'EXPIRY_REMINDER', 'REVERSAL_NOTICE')) not valid;

    alter table events drop constraint events_type,
      add constraint events_type check (type in (
        'voucher.generated', 'claim.started', 'voucher.redeemed', 'redemption.refused',
        'redemption.reversed', 'voucher.expired', 'voucher.cancelled', 'topup.succeeded',
        'topup.failed', 'topup.late', 'topup.reversed', 'balance.low', 'payout.completed'))
      not valid;
  `.execute(database);
  await functions(database);
}

async function functions(database: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function check_voucher_status() returns trigger language plpgsql as $$
    begin
      if not (old.status, new.status) in (
        ('ACTIVE', 'REDEEM_INITIATED'),
        ('ACTIVE', 'REDEEM_PROCESSING'),
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

    create function tell_redemption_reversed() returns trigger language plpgsql as $$
    declare
      redemption record;
      voucher record;
    begin
      select id, voucher_id, merchant_id, platform_reference, to_merchant + service_fee as amount
        into strict redemption from redemptions where id = new.redemption_id;
      select id, partner_id, serial_number, remaining into strict voucher
        from vouchers where id = redemption.voucher_id;
      insert into events (company_kind, company_id, type, subject, data)
        select kind, company, 'redemption.reversed', 'voucher:' || voucher.id,
          jsonb_build_object('voucherId', voucher.id, 'serialNumber', voucher.serial_number,
            'redemptionId', redemption.id, 'reference', redemption.platform_reference,
            'merchantId', redemption.merchant_id, 'amount', redemption.amount::text,
            'remaining', voucher.remaining::text, 'creditedTo', new.credited_to)
        from (values ('partner', voucher.partner_id), ('merchant', redemption.merchant_id))
          as owners (kind, company);
      return null;
    end $$;
    create trigger redemption_reversals_tell after update of status on redemption_reversals
      for each row when (old.status = 'PENDING' and new.status = 'SUCCESS')
      execute function tell_redemption_reversed();
  `.execute(database);
}
