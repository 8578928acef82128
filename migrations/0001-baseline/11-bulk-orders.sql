-- Orders of many vouchers at once.

-- An order of a partner's server or of a person of the portal.
create table bulk_orders (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  operation_id text not null unique,
  request_id uuid not null,
  request_digest text not null,
  partner_id bigint not null references partners,
  -- The authority that each line is checked against again: a key with its token, or a person.
  api_key_id bigint references api_keys,
  token_version integer,
  portal_account_id bigint references portal_accounts,
  lines integer not null check (lines between 1 and 10000),
  generated integer not null default 0,
  refused integer not null default 0,
  cancelled integer not null default 0,
  cancel_requested_at timestamptz,
  ended_at timestamptz,
  constraint bulk_orders_authority check (
    num_nonnulls(api_key_id, portal_account_id) = 1
    and (api_key_id is null) = (token_version is null)),
  constraint bulk_orders_counts check (
    generated >= 0 and refused >= 0 and cancelled >= 0
    and generated + refused + cancelled <= lines),
  constraint bulk_orders_ended check (
    ended_at is null or generated + refused + cancelled = lines)
);
create index bulk_orders_by_partner on bulk_orders (partner_id, id);
create index bulk_orders_open on bulk_orders (id) where ended_at is null;

-- A voucher that an order asks for.
create table bulk_lines (
  bulk_order_id bigint not null references bulk_orders,
  -- From 1, as the caller sent them.
  line integer not null check (line > 0),
  -- The partner's name of it.
  reference text not null,
  -- Keyed digest of partner and reference: vouchers.operation_id makes it unique for ever.
  operation_id text not null,
  request_digest text not null,
  denomination_id bigint not null,
  merchant_id bigint,
  merchant_identifier text,
  owner_msisdn text,
  is_restricted boolean not null,
  exchange_rate text,
  currency text,
  originating_country text,
  foreign_currency_amount text,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'GENERATED', 'REFUSED', 'CANCELLED')),
  settled_at timestamptz,
  voucher_id bigint references vouchers,
  refusal jsonb,
  primary key (bulk_order_id, line),
  unique (bulk_order_id, reference),
  check ((status = 'GENERATED') = (voucher_id is not null)),
  check ((status = 'REFUSED') = (refusal is not null)),
  check ((merchant_id is null) <> (merchant_identifier is null))
);
create index bulk_lines_pending on bulk_lines (bulk_order_id, line) where status = 'PENDING';
create index bulk_lines_by_voucher on bulk_lines (voucher_id) where voucher_id is not null;
create index bulk_lines_by_reference on bulk_lines (reference);
create index bulk_lines_with_number on bulk_lines (settled_at) where owner_msisdn <> 'erased';
