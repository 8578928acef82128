import { sql } from 'kysely';
import type { Database } from './connection.js';

/** One page of a list, and how many items there are in all. */
export interface ListPage<Item> {
  readonly items: Item[];
  readonly totalItems: number;
}

/** The merchants that are not deleted, by name, with their categories (specification 2.5, 2.6). */
export async function listMerchants(
  database: Database,
  page: { readonly page: number; readonly limit: number },
) {
  const items = await database
    .selectFrom('merchants')
    .leftJoin('merchant_categories', 'merchant_categories.id', 'merchants.merchant_category_id')
    .selectAll('merchants')
    .select(sql<MerchantCategoryJson | null>`to_jsonb(merchant_categories)`.as('category'))
    .where('merchants.deleted_at', 'is', null)
    .where('merchants.status', '=', 'ACTIVE')
    .orderBy('merchants.merchant_name')
    .orderBy('merchants.id')
    .limit(page.limit)
    .offset((page.page - 1) * page.limit)
    .execute();
  const { totalItems } = await database
    .selectFrom('merchants')
    .select(sql<number>`count(*)::int`.as('totalItems'))
    .where('deleted_at', 'is', null)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirstOrThrow();
  return { items, totalItems };
}

export interface MerchantCategoryJson {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly category_name: string;
  readonly is_active: boolean;
}

/** All denominated gifts, by amount (specification 2.4). */
export const listDenominations = (database: Database) =>
  database
    .selectFrom('gift_denominations')
    .select(['id', 'status', 'amount_etb'])
    .orderBy('amount_etb')
    .orderBy('id')
    .execute();
