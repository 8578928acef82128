import { sql } from 'kysely';
import {
  allRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  now,
  onlyRow,
  type Sql,
} from '../connection.ts';
import { limitedTo, type RowPage } from '../row-page.ts';

export interface NewPrice {
  readonly partnerId: number;
  readonly denominationId: number;
  /** Null: for every merchant. */
  readonly merchantId: number | null;
  /** Decimal string, USD. */
  readonly sellingPriceUsd: string;
}

const storedColumns = [
  'id',
  'created_at',
  'denomination_id',
  'merchant_id',
  'selling_price_usd',
] as const;

/**
 * The amount of a price's voucher, null where it is not active, and whether its merchant is active. Both stay so until the
 * transaction ends: a change of either ends the prices that it finds.
 */
export const priceSubjects = (
  database: Database,
  { denominationId, merchantId }: Pick<NewPrice, 'denominationId' | 'merchantId'>,
) =>
  onlyRow<{ readonly amount: string | null; readonly hasMerchant: boolean }>(database)`
    select
      (select amount_etb from gift_denominations
        where id = ${denominationId} and status = 'ACTIVE' for share) as amount,
      ${merchantId}::bigint is null or exists (select from merchants
        where id = ${merchantId} and status = 'ACTIVE' and deleted_at is null for share) as "hasMerchant"`;

/** SQL condition: the current price of exactly this partner, denomination and merchant. */
const isCurrent = ({ partnerId, denominationId, merchantId }: Omit<NewPrice, 'sellingPriceUsd'>) =>
  sql<boolean>`(partner_id = ${partnerId} and denomination_id = ${denominationId}
    and merchant_id is not distinct from ${merchantId}::bigint and replaced_at is null)`;

/**
 * Sets a partner's selling price; the previous one stays as history. The caller has locked the partner, so there is
 * always exactly one current price.
 */
export async function replacePrice(transaction: DatabaseTransaction, price: NewPrice) {
  await transaction
    .updateTable('partner_gift_denomination_prices')
    .set({ replaced_at: now })
    .where(isCurrent(price))
    .execute();
  return transaction
    .insertInto('partner_gift_denomination_prices')
    .values({
      partner_id: price.partnerId,
      denomination_id: price.denominationId,
      merchant_id: price.merchantId,
      selling_price_usd: price.sellingPriceUsd,
    })
    .returning(storedColumns)
    .executeTakeFirstOrThrow();
}

/** SQL expression: whether a partner may sell vouchers of a product now. */
export const maySellGifts = (partnerId: number, productId: Sql) => sql<boolean>`exists (
  select from partner_products
  join products on products.id = partner_products.product_id
  where partner_products.partner_id = ${partnerId}
    and products.kind = 'GIFT' and products.status = 'ACTIVE'
    and products.deleted_at is null
    and products.id = ${productId})`;

export type ListedPrice = Awaited<ReturnType<typeof listPartnerPrices>>[number];

/**
 * The denominations that a partner may sell with its current prices, and further ones with a price.
 * A null price: none is set.
 */
export const listPartnerPrices = (database: Database, partnerId: number, page?: RowPage) =>
  allRows<{
    denominationId: number;
    amount: string;
    /** Whether the partner may sell it now. */
    status: 'ACTIVE' | 'INACTIVE';
    /** Null: for every merchant without its own price. */
    merchantId: number | null;
    merchant: string | null;
    /** Whether a merchant has its own price of the denomination. */
    isByMerchant: boolean;
    sellingPriceUsd: string | null;
    since: Date | null;
  }>(database)`
    select denomination.id as "denominationId", amount_etb as amount,
      case when denomination.status = 'ACTIVE'
          and ${maySellGifts(partnerId, sql`denomination.product_id`)}
        then 'ACTIVE' else 'INACTIVE' end as status,
      price.merchant_id as "merchantId", merchant_name as merchant,
      count(price.merchant_id) over (partition by denomination.id) > 0 as "isByMerchant",
      selling_price_usd as "sellingPriceUsd", price.created_at as since
    from gift_denominations as denomination
    left join partner_gift_denomination_prices as price
      on price.denomination_id = denomination.id and price.partner_id = ${partnerId}
        and price.replaced_at is null
    left join merchants on merchants.id = price.merchant_id
    where price.id is not null or exists (select from partner_products
      where partner_id = ${partnerId} and product_id = denomination.product_id)
    order by amount_etb, denomination.id, price.merchant_id nulls first
    ${limitedTo(page)}`;

/** The current price of exactly this partner, denomination and merchant; undefined for none. */
export const findPrice = (database: Database, price: Omit<NewPrice, 'sellingPriceUsd'>) =>
  database
    .selectFrom('partner_gift_denomination_prices')
    .select(storedColumns)
    .where(isCurrent(price))
    .executeTakeFirst();

/** A product that a partner may sell. */
interface ProductAccess {
  readonly partnerId: number;
  readonly productId: number;
}

/** Grants a partner access to a product; false when it already had access. */
export const grantAccess = (database: Database, access: ProductAccess) =>
  database
    .insertInto('partner_products')
    .values({ partner_id: access.partnerId, product_id: access.productId })
    .onConflict((conflict) => conflict.doNothing())
    .$call(changesRow);

/** Revokes the access to a product; false when the partner had none. */
export const revokeAccess = (database: Database, access: ProductAccess) =>
  database
    .deleteFrom('partner_products')
    .where('partner_id', '=', access.partnerId)
    .where('product_id', '=', access.productId)
    .$call(changesRow);
