import { type Kysely, sql } from 'kysely';

/** Tables whose rows lists of reference data are made of. */
const REFERENCE_TABLES = [
  'merchants',
  'merchant_categories',
  'product_categories',
  'products',
  'partner_products',
  'promos',
  'gift_denominations',
  'partner_gift_denomination_prices',
];

/** Indexes for lists of reference data, and the version by which counts of them are remembered. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Text is sorted and compared by its lower case, code point by code point, in every database.
    drop index merchants_by_name;
    create index merchants_listed on merchants ((lower(merchant_name)) collate "C", id)
      where deleted_at is null and status = 'ACTIVE';
    create index merchants_by_category on merchants (merchant_category_id);
    create index merchant_categories_listed
      on merchant_categories ((lower(category_name)) collate "C", id) where deleted_at is null;
    create index product_categories_by_name
      on product_categories ((lower(category_name)) collate "C", id) where deleted_at is null;
    create index products_by_category on products (product_category_id, id)
      where deleted_at is null;
    create index promos_listed on promos (promo_end_date, promo_start_date)
      where deleted_at is null and status = 'ACTIVE';
    create index gift_denominations_by_amount on gift_denominations (amount_etb, id);
    create index partner_gift_denomination_prices_listed
      on partner_gift_denomination_prices (partner_id, denomination_id, id)
      where replaced_at is null;
    create index topup_attempts_by_provider_reference on topup_attempts (provider_reference);

    -- One row. Whoever sees the same version sees the same reference data: it is raised in the
    -- transaction that changes them, at its end, so that the row is locked for a moment only.
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
  `.execute(database);
  for (const table of REFERENCE_TABLES) {
    await sql`
      create constraint trigger ${sql.ref(`${table}_version`)}
        after insert or update or delete on ${sql.table(table)}
        deferrable initially deferred
        for each row execute function raise_reference_data_version();
      create trigger ${sql.ref(`${table}_version_on_truncate`)}
        after truncate on ${sql.table(table)}
        for each statement execute function raise_reference_data_version();
    `.execute(database);
  }
}
