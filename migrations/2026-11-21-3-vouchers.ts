import { type Kysely, sql } from 'kysely';

/** Operations, vouchers, their claims and redemptions, and the messages to owners. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table operations (
      id text primary key,
      created_at timestamptz not null default now(),
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      kind text not null,
      request_id uuid not null,
      request_digest text not null,
      -- REFUSED: before anything was held, so the key is free for a corrected request.
      status text not null check (status in ('RUNNING', 'SUCCEEDED', 'REFUSED', 'FAILED')),
      outcome jsonb,
      -- A caller without a key was told to ask again; the same request gets this answer once.
      caller_left boolean not null default false,
      check ((status = 'RUNNING') = (outcome is null))
    );
    create index operations_left on operations (company_kind, company_id, request_digest)
      where caller_left;
    create index operations_by_age on operations (created_at);

    create table signed_requests (
      merchant_id bigint not null references merchants,
      -- 'body:<digest>' is bound to an endpoint, 'message:<digest>' to a body.
      subject text not null,
      bound_to text not null,
      created_at timestamptz not null default now(),
      primary key (merchant_id, subject)
    );
    create index signed_requests_by_age on signed_requests (created_at);

    create table vouchers (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      operation_id text not null unique,
      partner_id bigint not null references partners,
      merchant_id bigint not null references merchants,
      denomination_id bigint not null references gift_denominations,
      serial_number text not null unique,
      code_digest bytea not null unique,
      code_ciphertext text not null,
      -- Null: anonymous, redeemed without claim and code.
      owner_msisdn text,
      is_restricted boolean not null,
      amount numeric(20, 6) not null check (amount > 0),
      remaining numeric(20, 6) not null,
      held numeric(20, 6) not null default 0,
      -- What expiry or cancellation gave back to the partner.
      returned numeric(20, 6) not null default 0,
      status text not null default 'ACTIVE' check (status in (
        'ACTIVE', 'REDEEM_INITIATED', 'REDEEM_PROCESSING', 'REDEEMED', 'EXPIRED', 'CANCELLED')),
      expires_at timestamptz not null,
      current_claim_id text,
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
    create index vouchers_by_partner on vouchers (partner_id, id);

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
        ('ACTIVE', 'EXPIRED'),
        ('ACTIVE', 'CANCELLED'),
        ('REDEEM_INITIATED', 'ACTIVE'),
        ('REDEEM_INITIATED', 'REDEEM_PROCESSING'),
        ('REDEEM_PROCESSING', 'ACTIVE'),
        ('REDEEM_PROCESSING', 'REDEEMED')
      ) then
        raise exception 'a voucher cannot go from % to %', old.status, new.status
          using errcode = 'check_violation', constraint = 'vouchers_status_moves';
      end if;
      if old.status = 'ACTIVE' and new.status = 'REDEEM_PROCESSING' and new.owner_msisdn is not null
      then
        raise exception 'an owned voucher is not redeemed without a claim'
          using errcode = 'check_violation', constraint = 'vouchers_status_moves';
      end if;
      insert into voucher_status_changes (voucher_id, from_status, to_status)
        values (new.id, old.status, new.status);
      return new;
    end $$;
    create trigger vouchers_status before update on vouchers
      for each row when (old.status <> new.status) execute function check_voucher_status();

    create table voucher_claims (
      id text primary key,
      -- Made the claim; one that was refused by the SMS provider may make another.
      operation_id text not null,
      created_at timestamptz not null default now(),
      voucher_id bigint not null references vouchers,
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      -- Null: the whole balance.
      amount numeric(20, 6) check (amount > 0),
      -- Frozen at a merchant's claim; a partner's is read at redeem.
      service_fee_percent numeric(7, 4),
      status text not null default 'OPEN'
        check (status in ('OPEN', 'SUPERSEDED', 'EXPIRED', 'CANCELLED', 'REDEEMED', 'REFUSED')),
      expires_at timestamptz not null,
      code_digest text not null,
      code_ciphertext text
    );
    create index voucher_claims_by_voucher on voucher_claims (voucher_id);
    create unique index voucher_claims_of_operation on voucher_claims (operation_id)
      where status = 'OPEN';
    create index voucher_claims_open on voucher_claims (expires_at) where status = 'OPEN';
    alter table vouchers add constraint vouchers_current_claim
      foreign key (current_claim_id) references voucher_claims;

    -- One row per code that was compared and found wrong, whatever key the request had.
    create table verification_attempts (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      voucher_id bigint not null references vouchers,
      operation_id text not null
    );
    create index verification_attempts_by_voucher
      on verification_attempts (voucher_id, created_at);

    create table redemptions (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      operation_id text not null unique,
      voucher_id bigint not null references vouchers,
      claim_id text references voucher_claims,
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      merchant_id bigint not null references merchants,
      to_merchant numeric(20, 6) not null check (to_merchant > 0),
      service_fee numeric(20, 6) not null check (service_fee >= 0),
      status text not null default 'HELD' check (status in ('HELD', 'POSTED', 'VOIDED')),
      -- Our reference towards the mobile-money provider, and the one for tracking and support.
      payment_reference uuid not null unique,
      platform_reference text not null unique,
      payee jsonb not null,
      provider_reference text,
      provider_message text
    );
    create index redemptions_by_voucher on redemptions (voucher_id);

    create table messages (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      kind text not null check (kind in ('VERIFICATION_CODE', 'REDEMPTION_CONFIRMATION')),
      msisdn text not null,
      voucher_id bigint not null references vouchers,
      claim_id text unique references voucher_claims,
      redemption_id bigint unique references redemptions,
      -- SENDING is written before the provider is called: found again, the outcome is unknown.
      status text not null default 'QUEUED'
        check (status in ('QUEUED', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED')),
      provider_reference text,
      provider_message text
    );
    create index messages_by_number on messages (msisdn, created_at);
    create index messages_by_voucher on messages (voucher_id, created_at);
  `.execute(database);
}
