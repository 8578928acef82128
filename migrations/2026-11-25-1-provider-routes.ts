import { type Kysely, sql } from 'kysely';

/** Several providers of a kind: who serves what, and who was asked for each row. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null is the default provider, which was the only one.
    alter table redemptions add column provider text;
    alter table topup_attempts add column provider text;
    alter table messages add column provider text;
    alter table recovered_payments add column provider text;

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

    -- An operation that another provider was asked for, because the first certainly did nothing.
    create table provider_failovers (
      id bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(),
      operation_id text,
      message_id bigint references messages,
      from_provider text not null,
      to_provider text not null check (to_provider <> from_provider),
      -- What the first said.
      message text not null,
      check (num_nonnulls(operation_id, message_id) = 1)
    );
    create index provider_failovers_of_operation on provider_failovers (operation_id, id)
      where operation_id is not null;
    create index provider_failovers_of_message on provider_failovers (message_id, id)
      where message_id is not null;
    create index provider_failovers_by_age on provider_failovers (at);

    -- A request that comes again after a restore goes to the provider that has already done it:
    -- any other would do it once more.
    create or replace function await_recovered_payment() returns trigger language plpgsql as $$
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
    create function choose_recovered_provider() returns trigger language plpgsql as $$
    begin
      new.provider := coalesce(
        (select provider from recovered_payments where reference = new.reference), new.provider);
      return new;
    end $$;
    create trigger topup_attempts_recovered before insert on topup_attempts
      for each row execute function choose_recovered_provider();
  `.execute(database);
}
