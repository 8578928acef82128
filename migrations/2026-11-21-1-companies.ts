import { type Kysely, sql } from 'kysely';

/** Partners, merchants, what may be sold, and who may call. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table partners (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      company_name text not null,
      status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
      token_version integer not null default 1
    );

    create table merchant_categories (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      category_name text not null,
      is_active boolean not null default true
    );

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
      token_version integer not null default 1
    );
    create index merchants_by_name on merchants (merchant_name, id) where deleted_at is null;

    create table merchant_payout_accounts (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      replaced_at timestamptz,
      merchant_id bigint not null references merchants,
      party_key text not null,
      party_value text not null
    );
    create unique index merchant_payout_accounts_current
      on merchant_payout_accounts (merchant_id) where replaced_at is null;

    create table product_categories (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      category_name text not null unique,
      category_description text not null,
      status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE'))
    );

    create table products (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      product_name text not null,
      description text,
      metadata jsonb,
      -- Spelled as in the specification, 2.8.
      pricing_type text not null check (pricing_type in ('COMISSION', 'SERVICE_FEE')),
      status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
      product_category_id bigint not null references product_categories,
      kind text not null check (kind in ('GIFT', 'AIRTIME', 'PACKAGE')),
      -- The mobile operator that a package belongs to.
      operator text check (operator in ('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA')),
      price_amount numeric(20, 6) check (price_amount > 0)
    );

    create table partner_products (
      partner_id bigint not null references partners,
      product_id bigint not null references products,
      primary key (partner_id, product_id)
    );

    create table promos (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      product_category_id bigint not null references product_categories,
      promo_name text not null,
      promo_image text not null,
      promo_description text not null,
      promo_start_date timestamptz not null,
      promo_end_date timestamptz not null,
      discount_percentage numeric(7, 4) not null default 0,
      bonus_percentage numeric(7, 4) not null default 0,
      status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
      promo_constraint numeric(20, 6) not null default 0
    );

    create table gift_denominations (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      product_id bigint not null references products,
      amount_etb numeric(20, 6) not null check (amount_etb > 0),
      status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE'))
    );

    create table partner_gift_denomination_prices (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      replaced_at timestamptz,
      partner_id bigint not null references partners,
      denomination_id bigint not null references gift_denominations,
      -- Null: the price holds for every merchant.
      merchant_id bigint references merchants,
      selling_price_usd numeric(20, 6) not null check (selling_price_usd > 0)
    );
    create unique index partner_gift_denomination_prices_current
      on partner_gift_denomination_prices (partner_id, denomination_id, merchant_id)
      nulls not distinct where replaced_at is null;

    create table api_keys (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      revoked_at timestamptz,
      partner_id bigint references partners,
      merchant_id bigint references merchants,
      key_name text not null,
      key_prefix text not null,
      key_digest bytea not null unique,
      check (num_nonnulls(partner_id, merchant_id) = 1)
    );
    create index api_keys_by_partner on api_keys (partner_id) where partner_id is not null;
    create index api_keys_by_merchant on api_keys (merchant_id) where merchant_id is not null;

    create table source_addresses (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      partner_id bigint references partners,
      merchant_id bigint references merchants,
      -- An address or a CIDR range.
      address text not null,
      check (num_nonnulls(partner_id, merchant_id) = 1)
    );
    create index source_addresses_by_partner on source_addresses (partner_id)
      where partner_id is not null;
    create index source_addresses_by_merchant on source_addresses (merchant_id)
      where merchant_id is not null;

    create table merchant_public_keys (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      revoked_at timestamptz,
      merchant_id bigint not null references merchants,
      public_key_pem text not null
    );
    create index merchant_public_keys_by_merchant on merchant_public_keys (merchant_id);
  `.execute(database);
}
