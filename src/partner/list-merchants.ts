import { z } from 'zod';
import { listMerchants as queryMerchants } from '../db/lists.js';
import { refuse } from '../domain/errors.js';
import { maskMsisdn } from '../domain/phone.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { listLinks, listMeta, listQuery } from '../http/list-query.js';

const DEFAULT_LIMIT = 10;

const timestamp = z.iso.datetime();

/** Lists the merchants where vouchers can be redeemed (specification 2.5). */
export const listMerchants = endpoint({
  method: 'GET',
  path: '/merchants',
  operation: 'list',
  summary: 'List merchants',
  description: 'By name, 10 a page; phone numbers are partly masked.',
  access: 'token',
  query: listQuery(DEFAULT_LIMIT),
  answer: z.array(
    z.object({
      id: z.number(),
      createdAt: timestamp,
      updatedAt: timestamp,
      deletedAt: z.null(),
      merchantName: z.string(),
      merchantLogo: z.string().nullable(),
      merchantType: z.string(),
      identifierType: z.number(),
      identifier: z.string(),
      email: z.string(),
      phone: z.string(),
      address: z.string(),
      merchantCategoryId: z.number().nullable(),
      merchantCategory: z
        .object({
          id: z.number(),
          createdAt: timestamp,
          updatedAt: timestamp,
          deletedAt: timestamp.nullable(),
          categoryName: z.string(),
          isActive: z.boolean(),
        })
        .nullable(),
    }),
  ),
  reasons: ['page-not-found'],
  async handle({ services, query, path }) {
    const { items, totalItems } = await queryMerchants(services.database, query);
    const meta = listMeta(query, totalItems, [['merchantName', 'ASC']]);
    if (items.length === 0 && query.page > 1) return refuse('page-not-found');
    return reply(items.map(presentMerchant), {
      meta,
      links: listLinks(services.settings.publicUrl + path, meta),
      message: 'Merchants',
    });
  },
});

type Merchant = Awaited<ReturnType<typeof queryMerchants>>['items'][number];

const presentMerchant = (merchant: Merchant) => ({
  id: merchant.id,
  createdAt: merchant.created_at.toISOString(),
  updatedAt: merchant.updated_at.toISOString(),
  deletedAt: null,
  merchantName: merchant.merchant_name,
  merchantLogo: merchant.merchant_logo,
  merchantType: merchant.merchant_type,
  identifierType: merchant.identifier_type,
  identifier: merchant.identifier,
  email: merchant.email,
  phone: maskMsisdn(merchant.phone),
  address: merchant.address,
  merchantCategoryId: merchant.merchant_category_id,
  merchantCategory: merchant.category && {
    id: merchant.category.id,
    createdAt: new Date(merchant.category.created_at).toISOString(),
    updatedAt: new Date(merchant.category.updated_at).toISOString(),
    deletedAt: merchant.category.deleted_at && new Date(merchant.category.deleted_at).toISOString(),
    categoryName: merchant.category.category_name,
    isActive: merchant.category.is_active,
  },
});
