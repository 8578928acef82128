-- The products, their sellers and prices; and the versions of lists of reference data.

-- A group of products in lists of reference data.
create table product_categories (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  category_name text not null unique,
  category_description text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE'))
);
create index product_categories_by_name
  on product_categories ((lower(category_name)) collate "C", id) where deleted_at is null;

-- A kind of gift voucher, airtime, or a package of a mobile operator.
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
  price_amount numeric(20, 6) check (price_amount > 0),
  -- The provider's number of a package. Null: the provider does not sell it, so no partner can
  -- offer it.
  provider_product_id integer check (provider_product_id > 0)
);
create index products_by_category on products (product_category_id, id) where deleted_at is null;

-- A product that a partner may sell.
create table partner_products (
  partner_id bigint not null references partners,
  product_id bigint not null references products,
  primary key (partner_id, product_id)
);

-- A promotion of a product category, for display.
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
create index promos_listed on promos (promo_end_date, promo_start_date)
  where deleted_at is null and status = 'ACTIVE';

-- An amount for which vouchers of a gift product exist.
create table gift_denominations (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  product_id bigint not null references products,
  amount_etb numeric(20, 6) not null check (amount_etb > 0),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE'))
);
create index gift_denominations_by_amount on gift_denominations (amount_etb, id);

-- The price at which a partner sells a denomination; replaced rows are the history.
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
create index partner_gift_denomination_prices_listed
  on partner_gift_denomination_prices (partner_id, denomination_id, id) where replaced_at is null;
create index partner_gift_denomination_prices_history
  on partner_gift_denomination_prices (partner_id, denomination_id, id);

-- One row. Readers that see the same version see the same reference data, and remember their counts
-- by it. Changes raise it at the end of their transaction, so that the row is locked for a moment.
create table reference_data_version (
  is_only boolean primary key default true check (is_only),
  version bigint not null default 1,
  raised_by xid8
);
insert into reference_data_version default values;

create function raise_reference_data_version() returns trigger language plpgsql as $$
begin
  update reference_data_version
    set version = version + 1, raised_by = pg_current_xact_id()
    where raised_by is distinct from pg_current_xact_id();
  return null;
end $$;

-- Prices have versions of their own, below.
do $$
declare
  listed text;
begin
  foreach listed in array array['merchants', 'merchant_categories', 'product_categories', 'products',
    'partner_products', 'promos', 'gift_denominations']
  loop
    execute format(
      'create constraint trigger %I after insert or update or delete on %I
        deferrable initially deferred
        for each row execute function raise_reference_data_version()',
      listed || '_version', listed);
    execute format(
      'create trigger %I after truncate on %I
        for each statement execute function raise_reference_data_version()',
      listed || '_version_on_truncate', listed);
  end loop;
end $$;

-- The version of a partner's prices: a partner that sets prices makes no other partner count again.
-- A partner whose prices have never changed has no row, and the version 1.
create table price_list_versions (
  partner_id bigint primary key references partners,
  version bigint not null,
  raised_by xid8 not null
);

create function raise_price_list_versions() returns trigger language plpgsql as $$
begin
  -- In the order of the ids, so that two statements cannot wait for each other.
  insert into price_list_versions (partner_id, version, raised_by)
    select distinct partner_id, 2, pg_current_xact_id() from changed order by partner_id
    on conflict (partner_id) do update
      set version = price_list_versions.version + 1, raised_by = excluded.raised_by
      where price_list_versions.raised_by <> excluded.raised_by;
  return null;
end $$;

create trigger prices_raise_version_on_insert
  after insert on partner_gift_denomination_prices referencing new table as changed
  for each statement execute function raise_price_list_versions();
create trigger prices_raise_version_on_update
  after update on partner_gift_denomination_prices referencing new table as changed
  for each statement execute function raise_price_list_versions();
create trigger prices_raise_version_on_delete
  after delete on partner_gift_denomination_prices referencing old table as changed
  for each statement execute function raise_price_list_versions();
