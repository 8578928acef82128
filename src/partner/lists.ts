import { z } from 'zod';
import { priceSource } from '../db/catalogue/prices.ts';
import {
  denominationSource,
  merchantCategorySource,
  merchantSource,
  productCategorySource,
  productSource,
  promoSource,
} from '../db/lists/list-sources.ts';
import { maskMsisdn } from '../domain/phone.ts';
import type { Endpoint } from '../http/endpoint.ts';
import {
  idAnswer,
  maskedMsisdnAnswer,
  moneyAnswer,
  textAnswer,
  timeAnswer,
} from '../http/fields/answer-fields.ts';
import { listEndpoint } from '../http/lists/list-endpoint.ts';
import { sellingPrice } from './prices.ts';

const dated = z.object({
  id: idAnswer('record'),
  createdAt: timeAnswer('When it was created'),
  updatedAt: timeAnswer('Time of the last change'),
});
/** Rows with soft deletion: the lists show only rows that are not deleted. */
const deletable = dated.extend({
  deletedAt: z.null().meta({ description: 'Always null: deleted records are not listed' }),
});
const merchantCategory = deletable
  .extend({
    categoryName: textAnswer('Name of the category', 'Restaurants'),
    isActive: z.boolean().meta({ description: 'Whether the category is in use', examples: [true] }),
  })
  .meta({ title: 'MerchantCategory' });
const activity = z.enum(['ACTIVE', 'INACTIVE']).meta({
  title: 'Activity',
  description: 'Whether it is in use',
  examples: ['ACTIVE'],
});
const percentage = (description: string) =>
  z.number().meta({ description: `${description} in percent; may be 0`, examples: [10] });

/** The list of products that a partner may sell (specification 2.2). */
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
        merchantName: textAnswer('Name of the merchant', 'Abyssinia Coffee House'),
        merchantLogo: textAnswer('Address of the logo; null where there is none').nullable(),
        merchantType: textAnswer('Kind of the merchant', 'RETAIL'),
        identifierType: z.int().meta({
          description: 'Number of the register that `identifier` is from',
          examples: [1],
        }),
        identifier: textAnswer(
          'Identifier of the merchant, which `merchantIdentifier` takes',
          'MER-0001',
        ),
        email: textAnswer('E-mail address of the merchant', 'merchant01@demo.test'),
        phone: maskedMsisdnAnswer,
        address: textAnswer('Postal address of the merchant', 'Addis Ababa'),
        merchantCategoryId: idAnswer('category; absent where there is none').optional(),
        merchantCategory: merchantCategory
          .nullable()
          .meta({ description: 'The category; null where there is none, or it was deleted' }),
      }),
    ),
    present: ({ merchantCategory: category, ...merchant }) => ({
      ...merchant,
      merchantCategoryId: merchant.merchantCategoryId ?? undefined,
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
    description: 'All merchant categories, including inactive ones.',
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
    description:
      'Active promos that have started and not ended. They are information of the catalogue: the ' +
      'service applies no promo to a price.',
    message: 'Promos',
    source: promoSource,
    defaultSort: byIdDescending,
    defaultLimit: 20,
    ownFilter: () => ({}),
    answer: z.array(
      dated.extend({
        productCategoryId: idAnswer('product category that the promo is about'),
        promoName: textAnswer('Name of the promo', 'Data week'),
        promoImage: textAnswer(
          'Path of the image, relative to the base address of the API',
          'promos/data-week.png',
        ),
        promoDescription: textAnswer('What the promo says', 'Packages for a week of films'),
        promoStartDate: timeAnswer('When the promo begins'),
        promoEndDate: timeAnswer('When the promo ends'),
        discountPercentage: percentage('Announced discount'),
        bonusPercentage: percentage('Announced bonus'),
        status: activity,
        constraint: z
          .number()
          .meta({ description: 'Limit of the promo, as agreed with support', examples: [0] }),
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
      'Products with a unit price that you have access to. ' +
      '`q=productCategory.categoryName=PACKAGES` finds packages; `metadata` names the operator ' +
      'of a package. Airtime and gifts have no unit price and are not listed.',
    message: 'Products',
    source: productSource,
    defaultSort: byIdDescending,
    defaultLimit: 20,
    ownFilter: ownProducts,
    answer: z.array(
      dated.extend({
        productName: textAnswer('Name of the product', 'Monthly voice'),
        description: textAnswer('Description of the product', '600 minutes').nullable(),
        metadata: z.unknown().meta({
          description: 'Further data of the product; of a package, `operator` names its operator',
          examples: [{ operator: 'ETHIO_TELECOM' }],
        }),
        pricingType: z.enum(['COMISSION', 'SERVICE_FEE']).meta({
          description: 'Label of the catalogue, for information: no price depends on it',
          examples: ['COMISSION'],
        }),
        status: activity,
        productCategory: z
          .object({ categoryName: textAnswer('Name of the category', 'PACKAGES') })
          .meta({ title: 'ProductCategoryName', description: 'Category of the product' }),
        productPrice: z
          .object({ amount: moneyAnswer('Unit price in ETB', '250.000000') })
          .meta({ title: 'ProductPrice', description: 'Price of the product' }),
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
      dated.extend({
        categoryName: textAnswer('Name of the category', 'PACKAGES'),
        categoryDescription: textAnswer('What the category holds', 'Voice and data packages'),
        status: activity,
      }),
    ),
    present: (category) => category,
  }),
  listEndpoint({
    path: '/gift-denominations',
    aliases: ['/client/gift-denominations'],
    summary: 'List denominated gifts',
    description: 'Amounts of gift vouchers, including inactive ones.',
    message: 'Denominated gifts',
    source: denominationSource,
    defaultSort: [['amountEtb', 'ASC']],
    defaultLimit: 100,
    answer: z.array(
      z.object({
        id: idAnswer('denomination'),
        status: activity,
        amountEtb: z.number().meta({ description: 'Value of the gift in ETB', examples: [500] }),
      }),
    ),
    present: (denomination) => ({ ...denomination, amountEtb: Number(denomination.amountEtb) }),
  }),
  listEndpoint({
    path: '/partner-gift-denomination-prices',
    aliases: ['/client/partner-gift-denomination-prices'],
    summary: 'List your selling prices',
    description:
      'Your current selling prices in USD; a price without `merchantId` applies to all other merchants.',
    message: 'Selling prices',
    source: priceSource,
    defaultSort: [['denominationId', 'ASC']],
    defaultLimit: 20,
    answer: z.array(sellingPrice),
    present: (price) => price,
  }),
];
