-- Partners, who sell, and merchants, who redeem and are paid.

-- A company that sells gift vouchers and top-ups by the partner API or the portal.
create table partners (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  company_name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  -- Of messages to the owners of its vouchers.
  message_language text not null default 'en'
    constraint partners_message_language check (message_language in ('en', 'am')),
  -- Raised to make all access tokens of the company invalid.
  token_version integer not null default 1,
  -- Daily budgets; null: as the settings say.
  messages_per_day integer check (messages_per_day > 0),
  wrong_codes_per_day integer check (wrong_codes_per_day > 0),
  -- Daily limits of what it spends, the amount in ETB; null: no limit.
  daily_amount numeric(20, 6) check (daily_amount > 0),
  daily_operations integer check (daily_operations > 0)
);

-- A group of merchants in lists of reference data.
create table merchant_categories (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  category_name text not null,
  is_active boolean not null default true
);
-- Text is sorted and compared by its lower case, code point by code point, in every database.
create index merchant_categories_listed
  on merchant_categories ((lower(category_name)) collate "C", id) where deleted_at is null;

-- A company that redeems vouchers and is paid for them.
create table merchants (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  merchant_name text not null,
  merchant_logo text,
  merchant_type text not null,
  identifier_type integer not null,
  identifier text not null unique,
  email text not null,
  phone text not null,
  address text not null,
  merchant_category_id bigint references merchant_categories,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DEACTIVATED')),
  -- Without a fee no claim can be priced (5001); zero is a fee.
  service_fee_percent numeric(7, 4) check (service_fee_percent between 0 and 100),
  -- Raised to make all access tokens of the company invalid.
  token_version integer not null default 1,
  -- Daily budgets; null: as the settings say.
  messages_per_day integer check (messages_per_day > 0),
  wrong_codes_per_day integer check (wrong_codes_per_day > 0)
);
create index merchants_listed on merchants ((lower(merchant_name)) collate "C", id)
  where deleted_at is null and status = 'ACTIVE';
create index merchants_by_category on merchants (merchant_category_id);

-- An account that a merchant is or was paid to; payments keep the account that they went to.
create table merchant_payout_accounts (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- Null: the current one.
  replaced_at timestamptz,
  merchant_id bigint not null references merchants,
  -- The kind of the account, and its number or name.
  party_key text not null,
  party_value text not null,
  -- The registered holder that an operator expects.
  holder_name text
);
create unique index merchant_payout_accounts_current
  on merchant_payout_accounts (merchant_id) where replaced_at is null;
-- Each payment reads the account that it goes to, current or not.
create index merchant_payout_accounts_merchant on merchant_payout_accounts (merchant_id);

-- A provider's answer about a payout account before the first payment.
create table payout_account_checks (
  payout_account_id bigint not null references merchant_payout_accounts (id) on delete cascade,
  provider text not null,
  state text not null check (state in ('open', 'closed', 'name-differs', 'not-offered')),
  -- As the provider tells it.
  holder_name text,
  checked_at timestamptz not null default now(),
  -- The account has a registered holder, and this provider has not confirmed it.
  lacks_confirmation boolean not null default false,
  primary key (payout_account_id, provider)
);
create index payout_account_checks_state on payout_account_checks (state);
create index payout_account_checks_unconfirmed on payout_account_checks (payout_account_id)
  where lacks_confirmation;
