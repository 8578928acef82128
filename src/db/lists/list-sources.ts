import { sql } from 'kysely';
import { type ListSource, listColumns } from './list-page.ts';

/** The reference data that partners list (specification 2.4 to 2.9), as SQL. */

interface Dated {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const referenceDataVersion = () => sql<number>`(select version from reference_data_version)`;

const { text, searched, related, integer, decimal, time, boolean } = listColumns;

interface MerchantRow extends Dated {
  readonly merchantName: string;
  readonly merchantLogo: string | null;
  readonly merchantType: string;
  readonly identifierType: number;
  readonly identifier: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
  readonly merchantCategoryId: number | null;
  readonly merchantCategory: MerchantCategoryJson | null;
}

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
export const merchantSource: ListSource<MerchantRow> = {
  name: 'merchants',
  select: sql`merchants.id, merchants.created_at as "createdAt", merchants.updated_at as "updatedAt",
    merchant_name as "merchantName", merchant_logo as "merchantLogo",
    merchant_type as "merchantType", identifier_type as "identifierType", identifier, email, phone,
    address, merchant_category_id as "merchantCategoryId",
    case when category.id is not null then json_build_object(
      'id', category.id, 'createdAt', category.created_at, 'updatedAt', category.updated_at,
      'categoryName', category_name, 'isActive', is_active) end as "merchantCategory"`,
  from: () => sql`merchants left join merchant_categories as category
    on category.id = merchant_category_id and category.deleted_at is null`,
  where: () => sql`merchants.deleted_at is null and merchants.status = 'ACTIVE'`,
  id: sql`merchants.id`,
  columns: {
    id: integer(sql`merchants.id`),
    createdAt: time(sql`merchants.created_at`),
    updatedAt: time(sql`merchants.updated_at`),
    merchantName: searched(sql`merchant_name`),
    merchantType: searched(sql`merchant_type`),
    identifierType: integer(sql`identifier_type`),
    identifier: searched(sql`identifier`),
    email: text(sql`email`),
    address: searched(sql`address`),
    merchantCategoryId: integer(sql`merchant_category_id`),
    'merchantCategory.categoryName': related(sql`category_name`),
    'merchantCategory.isActive': boolean(sql`is_active`),
  },
  version: referenceDataVersion,
};

interface MerchantCategoryRow extends Dated {
  readonly categoryName: string;
  readonly isActive: boolean;
}

export const merchantCategorySource: ListSource<MerchantCategoryRow> = {
  name: 'merchant-categories',
  select: sql`id, created_at as "createdAt", updated_at as "updatedAt",
    category_name as "categoryName", is_active as "isActive"`,
  from: () => sql`merchant_categories`,
  where: () => sql`deleted_at is null`,
  id: sql`id`,
  columns: {
    id: integer(sql`id`),
    createdAt: time(sql`created_at`),
    updatedAt: time(sql`updated_at`),
    categoryName: searched(sql`category_name`),
    isActive: boolean(sql`is_active`),
  },
  version: referenceDataVersion,
};

interface PromoRow extends Dated {
  readonly productCategoryId: number;
  readonly promoName: string;
  readonly promoImage: string;
  readonly promoDescription: string;
  readonly promoStartDate: Date;
  readonly promoEndDate: Date;
  /** Decimal strings. */
  readonly discountPercentage: string;
  readonly bonusPercentage: string;
  readonly constraint: string;
  readonly status: string;
}

/** Active promos that have started and not ended. */
export const promoSource: ListSource<PromoRow> = {
  name: 'promos',
  select: sql`promos.id, product_category_id as "productCategoryId",
    promos.created_at as "createdAt", promos.updated_at as "updatedAt", promo_name as "promoName",
    promo_image as "promoImage", promo_description as "promoDescription",
    promo_start_date as "promoStartDate", promo_end_date as "promoEndDate",
    discount_percentage as "discountPercentage", bonus_percentage as "bonusPercentage",
    promo_constraint as "constraint", promos.status`,
  from: () => sql`promos left join product_categories as category
    on category.id = product_category_id and category.deleted_at is null`,
  where: () => sql`promos.deleted_at is null and promos.status = 'ACTIVE'
    and promo_start_date <= now() and promo_end_date > now()`,
  id: sql`promos.id`,
  columns: {
    id: integer(sql`promos.id`),
    productCategoryId: integer(sql`product_category_id`),
    createdAt: time(sql`promos.created_at`),
    updatedAt: time(sql`promos.updated_at`),
    promoName: searched(sql`promo_name`),
    promoDescription: searched(sql`promo_description`),
    promoStartDate: time(sql`promo_start_date`),
    promoEndDate: time(sql`promo_end_date`),
    discountPercentage: decimal(sql`discount_percentage`),
    bonusPercentage: decimal(sql`bonus_percentage`),
    constraint: decimal(sql`promo_constraint`),
    status: text(sql`promos.status`),
    'productCategory.categoryName': related(sql`category_name`),
  },
  version: referenceDataVersion,
  changesWithTime: true,
};

export interface ProductRow extends Dated {
  readonly productName: string;
  readonly description: string | null;
  readonly metadata: unknown;
  readonly pricingType: string;
  readonly status: string;
  /** For a package. */
  readonly operator: string | null;
  readonly categoryName: string;
  /** Decimal string in ETB. */
  readonly amount: string;
}

/**
 * The products with a unit price that the partner has access to (specification 2.8). Airtime and
 * gifts have none: the request names an amount or a denomination.
 */
export const productSource: ListSource<ProductRow> = {
  name: 'products',
  select: sql`products.id, products.created_at as "createdAt", products.updated_at as "updatedAt",
    product_name as "productName", description, metadata, operator,
    pricing_type as "pricingType", products.status, category_name as "categoryName", price_amount as "amount"`,
  from: () => sql`partner_products as access join products on products.id = access.product_id
    join product_categories as category on category.id = products.product_category_id`,
  where: (partnerId) => sql`access.partner_id = ${partnerId}::bigint
    and products.price_amount is not null
    and products.deleted_at is null and category.deleted_at is null`,
  id: sql`products.id`,
  columns: {
    id: integer(sql`products.id`),
    createdAt: time(sql`products.created_at`),
    updatedAt: time(sql`products.updated_at`),
    productName: searched(sql`product_name`),
    description: searched(sql`description`),
    pricingType: text(sql`pricing_type`),
    status: text(sql`products.status`),
    'productCategory.categoryName': related(sql`category_name`),
    'metadata.operator': text(sql`operator`),
    'productPrice.amount': decimal(sql`price_amount`),
  },
  version: referenceDataVersion,
};

interface ProductCategoryRow extends Dated {
  readonly categoryName: string;
  readonly categoryDescription: string;
  readonly status: string;
}

/** The active categories with a product that the partner has access to. */
export const productCategorySource: ListSource<ProductCategoryRow> = {
  name: 'product-categories',
  select: sql`category.id, category.created_at as "createdAt", category.updated_at as "updatedAt",
    category_name as "categoryName", category_description as "categoryDescription",
    category.status`,
  from: () => sql`product_categories as category`,
  // Not as a join: that would read all products of a category before the first row.
  where: (partnerId) => sql`category.deleted_at is null and category.status = 'ACTIVE'
    and (select true from products
      join partner_products as access on access.product_id = products.id
      where products.product_category_id = category.id and products.deleted_at is null
        and access.partner_id = ${partnerId}::bigint limit 1)`,
  id: sql`category.id`,
  columns: {
    id: integer(sql`category.id`),
    createdAt: time(sql`category.created_at`),
    updatedAt: time(sql`category.updated_at`),
    categoryName: searched(sql`category_name`),
    categoryDescription: searched(sql`category_description`),
    status: text(sql`category.status`),
  },
  version: referenceDataVersion,
};

interface DenominationRow {
  readonly id: number;
  readonly status: 'ACTIVE' | 'INACTIVE';
  /** Decimal string. */
  readonly amountEtb: string;
}

/** All denominations, including inactive ones. */
export const denominationSource: ListSource<DenominationRow> = {
  name: 'gift-denominations',
  select: sql`id, status, amount_etb as "amountEtb"`,
  from: () => sql`gift_denominations`,
  where: () => sql`true`,
  id: sql`id`,
  columns: {
    id: integer(sql`id`),
    status: text(sql`status`),
    amountEtb: decimal(sql`amount_etb`),
  },
  version: referenceDataVersion,
};
