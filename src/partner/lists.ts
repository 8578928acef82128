import { z } from 'zod';
import {
  activityStates,
  denominationList,
  merchantCategoryList,
  merchantList,
  priceList,
  pricingTypes,
  productCategoryList,
  productList,
  promoList,
} from '../db/lists/catalogue.ts';
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
const activity = z.enum(activityStates).meta({
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

/** The lists of reference data (specification 2.4 to 2.9 and 4.1). */
export const partnerLists: readonly Endpoint[] = [
  listEndpoint({
    path: '/merchants',
    summary: 'List merchants',
    description:
      'Active merchants, where vouchers can be redeemed; phone numbers are partly masked.',
    message: 'Merchants',
    list: merchantList,
    defaultLimit: 10,
    item: deletable.extend({
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
    present: ({ phone, merchantCategoryId, merchantCategory: category }) => ({
      deletedAt: null,
      phone: maskMsisdn(phone),
      merchantCategoryId: merchantCategoryId ?? undefined,
      merchantCategory: category && {
        ...category,
        createdAt: new Date(category.createdAt).toISOString(),
        updatedAt: new Date(category.updatedAt).toISOString(),
        deletedAt: null,
      },
    }),
  }),
  listEndpoint({
    path: '/merchant-categories',
    summary: 'List merchant categories',
    description: 'All merchant categories, including inactive ones.',
    message: 'Merchant categories',
    list: merchantCategoryList,
    defaultLimit: 10,
    item: merchantCategory,
    present: () => ({ deletedAt: null }),
  }),
  listEndpoint({
    path: '/promos',
    summary: 'List promos',
    description:
      'Active promos that have started and not ended. They are information of the catalogue: the ' +
      'service applies no promo to a price.',
    message: 'Promos',
    list: promoList,
    defaultLimit: 20,
    ownFilter: () => ({}),
    item: dated.extend({
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
    present: ({ discountPercentage, bonusPercentage, constraint }) => ({
      discountPercentage: Number(discountPercentage),
      bonusPercentage: Number(bonusPercentage),
      constraint: Number(constraint),
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
    list: productList,
    defaultLimit: 20,
    ownFilter: ownProducts,
    item: dated.extend({
      productName: textAnswer('Name of the product', 'Monthly voice'),
      description: textAnswer('Description of the product', '600 minutes').nullable(),
      metadata: z.unknown().meta({
        description: 'Further data of the product; of a package, `operator` names its operator',
        examples: [{ operator: 'ETHIO_TELECOM' }],
      }),
      pricingType: z.enum(pricingTypes).meta({
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
    present: ({ metadata, operator, categoryName, amount }) => ({
      metadata: operator === null ? metadata : { ...Object(metadata), operator },
      productCategory: { categoryName },
      productPrice: { amount },
    }),
  }),
  listEndpoint({
    path: '/product-categories-list',
    summary: 'List product categories',
    description: 'Active product categories in which you have access to a product.',
    message: 'Product categories',
    list: productCategoryList,
    defaultLimit: 10,
    ownFilter: ownProducts,
    item: dated.extend({
      categoryName: textAnswer('Name of the category', 'PACKAGES'),
      categoryDescription: textAnswer('What the category holds', 'Voice and data packages'),
      status: activity,
    }),
  }),
  listEndpoint({
    path: '/gift-denominations',
    aliases: ['/client/gift-denominations'],
    summary: 'List denominated gifts',
    description: 'Amounts of gift vouchers, including inactive ones.',
    message: 'Denominated gifts',
    list: denominationList,
    defaultLimit: 100,
    item: z.object({
      id: idAnswer('denomination'),
      status: activity,
      amountEtb: z.number().meta({ description: 'Value of the gift in ETB', examples: [500] }),
    }),
    present: ({ amountEtb }) => ({ amountEtb: Number(amountEtb) }),
  }),
  listEndpoint({
    path: '/partner-gift-denomination-prices',
    aliases: ['/client/partner-gift-denomination-prices'],
    summary: 'List your selling prices',
    description:
      'Your current selling prices in USD; a price without `merchantId` applies to all other merchants.',
    message: 'Selling prices',
    list: priceList,
    defaultLimit: 20,
    item: sellingPrice,
  }),
];
