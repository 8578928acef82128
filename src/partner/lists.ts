import { z } from 'zod';
import { priceSource } from '../db/catalogue/prices.js';
import {
  denominationSource,
  merchantCategorySource,
  merchantSource,
  productCategorySource,
  productSource,
  promoSource,
} from '../db/lists/list-sources.js';
import { maskMsisdn } from '../domain/phone.js';
import type { Endpoint } from '../http/endpoint.js';
import { listEndpoint } from '../http/lists/list-endpoint.js';

const id = z.number();
const timestamp = z.iso.datetime();
const dated = z.object({ id, createdAt: timestamp, updatedAt: timestamp });
/** Of rows that can be deleted: the lists show only those that are not. */
const deletable = dated.extend({ deletedAt: z.null() });
const merchantCategory = deletable.extend({ categoryName: z.string(), isActive: z.boolean() });
const activity = z.enum(['ACTIVE', 'INACTIVE']);

/** Of the lists that hold what one partner may sell (specification 2.2). */
const ownProducts = (partnerId: number) => ({
  'allowedProducts.partnerCompanyId': String(partnerId),
});
const byIdDescending = [['id', 'DESC']] as const;

/** The lists of reference data (specification 2.4 to 2.9 and 4.1). */
export const lists: readonly Endpoint[] = [
  listEndpoint({
    path: '/merchants',
    summary: 'List merchants',
    description:
      'Active merchants, where vouchers can be redeemed; phone numbers are partly masked.',
    message: 'Merchants',
    source: merchantSource,
    defaultSort: [['merchantName', 'ASC']],
    defaultLimit: 10,
    answer: z.array(
      deletable.extend({
        merchantName: z.string(),
        merchantLogo: z.string().nullable(),
        merchantType: z.string(),
        identifierType: z.number(),
        identifier: z.string(),
        email: z.string(),
        phone: z.string(),
        address: z.string(),
        merchantCategoryId: id.nullable(),
        merchantCategory: merchantCategory.nullable(),
      }),
    ),
    present: ({ merchantCategory: category, ...merchant }) => ({
      ...merchant,
      deletedAt: null,
      phone: maskMsisdn(merchant.phone),
      merchantCategory: category && {
        ...category,
        createdAt: new Date(category.createdAt),
        updatedAt: new Date(category.updatedAt),
        deletedAt: null,
      },
    }),
  }),
  listEndpoint({
    path: '/merchant-categories',
    summary: 'List merchant categories',
    description: 'All merchant categories, inactive ones too.',
    message: 'Merchant categories',
    source: merchantCategorySource,
    defaultSort: [['categoryName', 'ASC']],
    defaultLimit: 10,
    answer: z.array(merchantCategory),
    present: (category) => ({ ...category, deletedAt: null }),
  }),
  listEndpoint({
    path: '/promos',
    summary: 'List promos',
    description: 'Active promos that have begun and not ended.',
    message: 'Promos',
    source: promoSource,
    defaultSort: byIdDescending,
    defaultLimit: 20,
    ownFilter: () => ({}),
    answer: z.array(
      dated.extend({
        productCategoryId: id,
        promoName: z.string(),
        promoImage: z.string(),
        promoDescription: z.string(),
        promoStartDate: timestamp,
        promoEndDate: timestamp,
        discountPercentage: z.number(),
        bonusPercentage: z.number(),
        status: activity,
        constraint: z.number(),
      }),
    ),
    present: (promo) => ({
      ...promo,
      discountPercentage: Number(promo.discountPercentage),
      bonusPercentage: Number(promo.bonusPercentage),
      constraint: Number(promo.constraint),
    }),
  }),
  listEndpoint({
    path: '/product-list',
    summary: 'List products',
    description:
      'Products with a unit price that you have access to. `q=productCategory.categoryName=PACKAGES` ' +
      'finds packages; `metadata` names the operator of a package. ' +
      'Airtime and gifts have no unit price and are not listed.',
    message: 'Products',
    source: productSource,
    defaultSort: byIdDescending,
    defaultLimit: 20,
    ownFilter: ownProducts,
    answer: z.array(
      dated.extend({
        productName: z.string(),
        description: z.string().nullable(),
        metadata: z.unknown(),
        pricingType: z.enum(['COMISSION', 'SERVICE_FEE']),
        status: activity,
        productCategory: z.object({ categoryName: z.string() }),
        productPrice: z.object({ amount: z.string() }),
      }),
    ),
    present: ({ operator, categoryName, amount, ...product }) => ({
      ...product,
      metadata: operator === null ? product.metadata : { ...Object(product.metadata), operator },
      productCategory: { categoryName },
      productPrice: { amount },
    }),
  }),
  listEndpoint({
    path: '/product-categories-list',
    summary: 'List product categories',
    description: 'Active product categories in which you have access to a product.',
    message: 'Product categories',
    source: productCategorySource,
    defaultSort: byIdDescending,
    defaultLimit: 10,
    ownFilter: ownProducts,
    answer: z.array(
      dated.extend({ categoryName: z.string(), categoryDescription: z.string(), status: activity }),
    ),
    present: (category) => category,
  }),
  listEndpoint({
    path: '/gift-denominations',
    aliases: ['/client/gift-denominations'],
    summary: 'List denominated gifts',
    description: 'Amounts that gift vouchers are sold with, inactive ones too.',
    message: 'Denominated gifts',
    source: denominationSource,
    defaultSort: [['amountEtb', 'ASC']],
    defaultLimit: 100,
    answer: z.array(z.object({ id, status: activity, amountEtb: z.number() })),
    present: (denomination) => ({ ...denomination, amountEtb: Number(denomination.amountEtb) }),
  }),
  listEndpoint({
    path: '/partner-gift-denomination-prices',
    aliases: ['/client/partner-gift-denomination-prices'],
    summary: 'List your selling prices',
    description:
      'Your current selling prices in USD; a price without `merchantId` holds for all other merchants.',
    message: 'Selling prices',
    source: priceSource,
    defaultSort: [['denominationId', 'ASC']],
    defaultLimit: 20,
    answer: z.array(
      z.object({
        id,
        createdAt: timestamp,
        denominationId: id,
        merchantId: id.nullable(),
        sellingPriceUsd: z.string(),
      }),
    ),
    present: (price) => price,
  }),
];
