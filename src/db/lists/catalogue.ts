import { sql } from 'kysely';
import { type Operator, operators } from '../../domain/phone.ts';
import { declareList, forOperators, listFields } from './list.ts';

/** The lists of companies and of reference data (specification 2.4 to 2.10). */

const { text, choice, searched, related, integer, decimal, time, boolean, shown, hidden, lookUp } =
  listFields;

/** Whether a record of the catalogue is in use. */
export const activityStates = ['ACTIVE', 'INACTIVE'] as const;

export const pricingTypes = ['COMISSION', 'SERVICE_FEE'] as const;

const referenceDataVersion = () => sql<number>`(select version from reference_data_version)`;

const merchantCategories = sql`merchants left join merchant_categories as category
  on category.id = merchant_category_id and category.deleted_at is null`;

interface MerchantCategoryJson {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly categoryName: string;
  readonly isActive: boolean;
}

/**
 * Active merchants. A phone number can be neither filtered nor searched, because that would allow
 * guessing it.
 */
export const merchantList = declareList({
  name: 'merchants',
  from: () => merchantCategories,
  where: () => sql`merchants.deleted_at is null and merchants.status = 'ACTIVE'`,
  id: sql`merchants.id`,
  sortBy: [['merchantName', 'ASC']],
  fields: {
    id: integer(sql`merchants.id`),
    createdAt: time(sql`merchants.created_at`),
    updatedAt: time(sql`merchants.updated_at`),
    merchantName: searched(sql`merchant_name`),
    merchantLogo: shown<string | null>(sql`merchant_logo`),
    merchantType: searched(sql`merchant_type`),
    identifierType: integer(sql`identifier_type`),
    identifier: searched(sql`identifier`),
    email: text(sql`email`),
    phone: shown<string>(sql`phone`),
    address: searched(sql`address`),
    merchantCategoryId: integer<number | null>(sql`merchant_category_id`),
    merchantCategory: shown<MerchantCategoryJson | null>(sql`case when category.id is not null
      then json_build_object('id', category.id, 'createdAt', category.created_at,
        'updatedAt', category.updated_at, 'categoryName', category_name, 'isActive', is_active)
      end`),
    'merchantCategory.categoryName': hidden(related(sql`category_name`)),
    'merchantCategory.isActive': hidden(boolean(sql`is_active`)),
  },
  version: referenceDataVersion,
});

/** All merchants with their payout accounts. */
export const allMerchants = forOperators(merchantList, {
  from: sql`${merchantCategories} left join merchant_payout_accounts as payout
    on payout.merchant_id = merchants.id and payout.replaced_at is null`,
  where: sql`merchants.deleted_at is null`,
  fields: {
    status: text(sql`merchants.status`),
    category: shown<string | null>(sql`category_name`),
    serviceFeePercent: decimal<string | null>(sql`service_fee_percent`),
    payoutKey: text<string | null>(sql`payout.party_key`),
    payoutValue: shown<string | null>(sql`payout.party_value`),
  },
});

export const merchantCategoryList = declareList({
  name: 'merchant-categories',
  from: () => sql`merchant_categories`,
  where: () => sql`deleted_at is null`,
  id: sql`id`,
  sortBy: [['categoryName', 'ASC']],
  fields: {
    id: integer(sql`id`),
    createdAt: time(sql`created_at`),
    updatedAt: time(sql`updated_at`),
    categoryName: searched(sql`category_name`),
    isActive: boolean(sql`is_active`),
  },
  version: referenceDataVersion,
});

/** All merchant categories. */
export const allMerchantCategories = forOperators(merchantCategoryList, {
  from: sql`merchant_categories`,
  where: sql`deleted_at is null`,
  fields: {},
});

const promosInCategories = sql`promos left join product_categories as category
  on category.id = product_category_id and category.deleted_at is null`;

/** Active promos that have started and not ended. */
export const promoList = declareList({
  name: 'promos',
  from: () => promosInCategories,
  where: () => sql`promos.deleted_at is null and promos.status = 'ACTIVE'
    and promo_start_date <= now() and promo_end_date > now()`,
  id: sql`promos.id`,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(sql`promos.id`),
    productCategoryId: integer(sql`product_category_id`),
    createdAt: time(sql`promos.created_at`),
    updatedAt: time(sql`promos.updated_at`),
    promoName: searched(sql`promo_name`),
    promoImage: shown<string>(sql`promo_image`),
    promoDescription: searched(sql`promo_description`),
    promoStartDate: time(sql`promo_start_date`),
    promoEndDate: time(sql`promo_end_date`),
    discountPercentage: decimal(sql`discount_percentage`),
    bonusPercentage: decimal(sql`bonus_percentage`),
    constraint: decimal(sql`promo_constraint`),
    status: choice(activityStates)(sql`promos.status`),
    'productCategory.categoryName': hidden(related(sql`category_name`)),
  },
  version: referenceDataVersion,
  changesWithTime: true,
});

/** All promos, including inactive and past ones. */
export const allPromos = forOperators(promoList, {
  from: promosInCategories,
  where: sql`promos.deleted_at is null`,
  fields: { category: shown<string | null>(sql`category_name`) },
});

/**
 * The products with a unit price that the partner has access to (specification 2.8). Airtime and
 * gifts have none: the request names an amount or a denomination.
 */
export const productList = declareList({
  name: 'products',
  from: () => sql`partner_products as access join products on products.id = access.product_id
    join product_categories as category on category.id = products.product_category_id`,
  where: (partnerId) => sql`access.partner_id = ${partnerId}::bigint
    and products.price_amount is not null
    and products.deleted_at is null and category.deleted_at is null`,
  id: sql`products.id`,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(sql`products.id`),
    createdAt: time(sql`products.created_at`),
    updatedAt: time(sql`products.updated_at`),
    productName: searched(sql`product_name`),
    description: searched<string | null>(sql`description`),
    metadata: shown<unknown>(sql`metadata`),
    pricingType: choice(pricingTypes)(sql`pricing_type`),
    status: choice(activityStates)(sql`products.status`),
    categoryName: related(sql`category_name`, 'productCategory.categoryName'),
    // Of a package.
    operator: choice(operators)<Operator | null>(sql`operator`, 'metadata.operator'),
    amount: decimal(sql`price_amount`, 'productPrice.amount'),
  },
  version: referenceDataVersion,
});

/** All products; those without a unit price have no amount. */
export const allProducts = forOperators(productList, {
  from: sql`products join product_categories as category
    on category.id = products.product_category_id`,
  where: sql`products.deleted_at is null`,
  fields: {
    kind: text(sql`products.kind`),
    amount: decimal<string | null>(sql`price_amount`, 'productPrice.amount'),
    providerProductId: integer<number | null>(sql`provider_product_id`),
    // Those that a partner may sell.
    partnerId: lookUp(
      (partnerId) => sql`products.id = any(array(select product_id from partner_products
        where partner_id::text = ${partnerId}))`,
    ),
  },
});

/** The active categories with a product that the partner has access to. */
export const productCategoryList = declareList({
  name: 'product-categories',
  from: () => sql`product_categories as category`,
  // Not as a join: that would read all products of a category before the first row.
  where: (partnerId) => sql`category.deleted_at is null and category.status = 'ACTIVE'
    and (select true from products
      join partner_products as access on access.product_id = products.id
      where products.product_category_id = category.id and products.deleted_at is null
        and access.partner_id = ${partnerId}::bigint limit 1)`,
  id: sql`category.id`,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(sql`category.id`),
    createdAt: time(sql`category.created_at`),
    updatedAt: time(sql`category.updated_at`),
    categoryName: searched(sql`category_name`),
    categoryDescription: searched(sql`category_description`),
    status: choice(activityStates)(sql`category.status`),
  },
  version: referenceDataVersion,
});

/** All product categories. */
export const allProductCategories = forOperators(productCategoryList, {
  from: sql`product_categories as category`,
  where: sql`category.deleted_at is null`,
  fields: {},
});

/** All denominations, including inactive ones. */
export const denominationList = declareList({
  name: 'gift-denominations',
  from: () => sql`gift_denominations`,
  where: () => sql`true`,
  id: sql`id`,
  sortBy: [['amountEtb', 'ASC']],
  fields: {
    id: integer(sql`id`),
    status: choice(activityStates)(sql`status`),
    amountEtb: decimal(sql`amount_etb`),
  },
  version: referenceDataVersion,
});

/** The same with their products. */
export const allDenominations = forOperators(denominationList, {
  from: sql`(select gift_denominations.*, product_name
    from gift_denominations join products on products.id = product_id) as denomination`,
  where: sql`true`,
  fields: {
    productId: integer(sql`product_id`),
    product: related(sql`product_name`),
  },
});

/** The current prices of one partner. */
export const priceList = declareList({
  name: 'prices',
  from: () => sql`partner_gift_denomination_prices`,
  where: (partnerId) => sql`partner_id = ${partnerId}::bigint and replaced_at is null`,
  id: sql`id`,
  sortBy: [['denominationId', 'ASC']],
  fields: {
    id: integer(sql`id`),
    createdAt: time(sql`created_at`),
    denominationId: integer(sql`denomination_id`),
    // Null: for every merchant without its own price.
    merchantId: integer<number | null>(sql`merchant_id`),
    sellingPriceUsd: decimal(sql`selling_price_usd`),
  },
  version: (partnerId) => sql`coalesce(
    (select version from price_list_versions where partner_id = ${partnerId}::bigint), 1)`,
});

/** All partners with their balances, for operators. */
export const allPartners = declareList({
  name: 'partners',
  from: () => sql`(
    select partners.id, company_name as name, status, message_language, daily_amount, daily_operations,
      max(low_balance) filter (where kind = 'gift') as gift_low_below,
      max(low_balance) filter (where kind = 'airtime') as airtime_low_below,
      sum(balance) filter (where kind = 'gift') as gift,
      sum(balance) filter (where kind = 'airtime') as airtime,
      sum(balance) filter (where kind in ('reserved', 'gift-hold')) as reserved,
      coalesce(array_agg(kind order by kind) filter (where balance < low_balance), '{}') as low
    from partners join ledger_accounts on ledger_accounts.partner_id = partners.id
    group by partners.id) as partners`,
  where: () => sql`true`,
  id: sql`id`,
  sortBy: [['id', 'ASC']],
  fields: {
    id: integer(sql`id`),
    name: text(sql`name`),
    status: text<'ACTIVE' | 'SUSPENDED'>(sql`status`),
    gift: decimal(sql`gift`),
    airtime: decimal(sql`airtime`),
    reserved: decimal(sql`reserved`),
    // The wallets below their thresholds.
    low: shown<string[]>(sql`low`),
    giftLowBelow: decimal<string | null>(sql`gift_low_below`),
    airtimeLowBelow: decimal<string | null>(sql`airtime_low_below`),
    dailyAmount: decimal<string | null>(sql`daily_amount`),
    dailyOperations: integer<number | null>(sql`daily_operations`),
    messageLanguage: text(sql`message_language`),
  },
});
