import { sql } from 'kysely';
import type { VoucherStatus } from '../../domain/vouchers/voucher.ts';
import type { Database } from '../connection.ts';
import { hasNumber } from '../phone-numbers.ts';

/** Lists for operators: all rows of any status, by id. */

/** All partners with their balances (specification 2.10) as decimal strings. */
export async function listPartners(database: Database) {
  const { rows } = await sql<{
    id: number;
    name: string;
    status: 'ACTIVE' | 'SUSPENDED';
    gift: string;
    airtime: string;
    reserved: string;
    /** The wallets below their thresholds. */
    low: string[];
  }>`
    select partners.id, company_name as name, status,
      sum(balance) filter (where kind = 'gift') as gift,
      sum(balance) filter (where kind = 'airtime') as airtime,
      sum(balance) filter (where kind in ('reserved', 'gift-hold')) as reserved,
      coalesce(array_agg(kind order by kind) filter (where balance < low_balance), '{}') as low
    from partners join ledger_accounts on ledger_accounts.partner_id = partners.id
    group by partners.id order by partners.id`.execute(database);
  return rows;
}

/** All merchants with their payout accounts. */
export const listAllMerchants = (database: Database) =>
  database
    .selectFrom('merchants')
    .leftJoin('merchant_categories', 'merchant_categories.id', 'merchants.merchant_category_id')
    .leftJoin('merchant_payout_accounts as payout', (join) =>
      join.onRef('payout.merchant_id', '=', 'merchants.id').on('payout.replaced_at', 'is', null),
    )
    .select([
      'merchants.id',
      'merchant_name as name',
      'identifier',
      'identifier_type as identifierType',
      'merchant_type as type',
      'merchants.status',
      'category_name as category',
      'service_fee_percent as serviceFeePercent',
      'payout.party_key as payoutKey',
      'payout.party_value as payoutValue',
      'email',
      'phone',
      'address',
      'merchant_logo as logo',
    ])
    .where('merchants.deleted_at', 'is', null)
    .orderBy('merchants.id')
    .execute();

/** All merchant categories. */
export const listMerchantCategories = (database: Database) =>
  database
    .selectFrom('merchant_categories')
    .select(['id', 'category_name as name', 'is_active as isActive'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();

/** All product categories. */
export const listProductCategories = (database: Database) =>
  database
    .selectFrom('product_categories')
    .select(['id', 'category_name as name', 'category_description as description', 'status'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();

/** All products, or those that one partner may sell. */
export const listProducts = (database: Database, partnerId?: number) =>
  database
    .selectFrom('products')
    .innerJoin('product_categories', 'product_categories.id', 'products.product_category_id')
    .select([
      'products.id',
      'product_name as name',
      'kind',
      'category_name as category',
      'operator',
      'price_amount as price',
      'pricing_type as pricingType',
      'provider_product_id as providerProductId',
      'products.status',
    ])
    .where('products.deleted_at', 'is', null)
    .$if(partnerId !== undefined, (query) =>
      query.where('products.id', 'in', (subquery) =>
        subquery
          .selectFrom('partner_products')
          .select('product_id')
          .where('partner_id', '=', partnerId ?? 0),
      ),
    )
    .orderBy('products.id')
    .execute();

/** All denominations. */
export const listAllDenominations = (database: Database) =>
  database
    .selectFrom('gift_denominations')
    .innerJoin('products', 'products.id', 'gift_denominations.product_id')
    .select([
      'gift_denominations.id',
      'product_id as productId',
      'product_name as product',
      'amount_etb as amount',
      'gift_denominations.status',
    ])
    .orderBy('gift_denominations.id')
    .execute();

/** All promos. */
export const listPromos = (database: Database) =>
  database
    .selectFrom('promos')
    .innerJoin('product_categories', 'product_categories.id', 'promos.product_category_id')
    .select([
      'promos.id',
      'promo_name as name',
      'category_name as category',
      'promo_description as description',
      'promo_image as image',
      'promo_start_date as start',
      'promo_end_date as end',
      'discount_percentage as discount',
      'bonus_percentage as bonus',
      'promo_constraint as constraint',
      'promos.status',
    ])
    .where('promos.deleted_at', 'is', null)
    .orderBy('promos.id')
    .execute();

/** The newest vouchers, of all partners or one, without their codes. */
export const listVouchers = (
  database: Database,
  selection: {
    readonly partnerId: number | undefined;
    readonly status: VoucherStatus | undefined;
    /** Of the owner's number. */
    readonly numberHash: string | undefined;
    readonly limit: number;
  },
) => {
  const { partnerId, status, numberHash } = selection;
  let query = database
    .selectFrom('vouchers')
    .innerJoin('merchants', 'merchants.id', 'vouchers.merchant_id')
    .select([
      'vouchers.id',
      'serial_number as serialNumber',
      'vouchers.status',
      'vouchers.partner_id as partnerId',
      'merchant_name as merchant',
      'owner_msisdn as ownerMsisdn',
      'amount',
      'remaining',
      'held',
      'returned',
      'vouchers.created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .orderBy('vouchers.id', 'desc')
    .limit(selection.limit);
  if (partnerId !== undefined) query = query.where('vouchers.partner_id', '=', partnerId);
  if (status !== undefined) query = query.where('vouchers.status', '=', status);
  if (numberHash !== undefined) query = query.where(hasNumber('owner_msisdn', numberHash));
  return query.execute();
};
