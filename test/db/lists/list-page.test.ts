import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import type { Database } from '../../../src/db/connection.ts';
import { merchantList, productList } from '../../../src/db/lists/catalogue.ts';
import type { List, SortBy } from '../../../src/db/lists/list.ts';
import { readListPage } from '../../../src/db/lists/list-page.ts';
import { listQuery } from '../../../src/http/lists/list-query.ts';
import {
  type Cell,
  type NaiveRow,
  naiveList,
  names,
  parametersOf,
  type QueriedColumn,
  queries,
} from '../naive-list.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

const ROWS = 80;

let open: OpenDatabase;
let database: Database;
let partnerId: number;

/** Random values, the same in every run; times to the millisecond, many of them alike. */
const sample = <Value>(values: fc.Arbitrary<Value>, seed: number): Value[] =>
  fc.sample(values, { seed, numRuns: ROWS });
const times = fc
  .integer({ min: 0, max: 20 })
  .map((day) => new Date(Date.UTC(2026, 0, 1 + day, 0, 0, 0, day)));

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
  partnerId = await addPartner(database, 'Partner');
  const strangerId = await addPartner(database, 'Stranger');
  const merchantNames = sample(names, 1);
  const categoryNames = [...new Set(sample(names, 2))].slice(0, 12);
  const categories = await database
    .insertInto('merchant_categories')
    .values(
      categoryNames.map((category_name, index) => ({
        category_name,
        is_active: index % 3 !== 0,
        deleted_at: index === 5 ? new Date() : null,
      })),
    )
    .returning('id')
    .execute();
  const createdAt = sample(times, 3);
  await database
    .insertInto('merchants')
    .values(
      merchantNames.map((merchant_name, index) => ({
        merchant_name,
        created_at: createdAt[index] ?? new Date(),
        merchant_type: index % 2 === 0 ? 'RETAIL' : 'Hotel',
        identifier_type: index % 4,
        identifier: `M${index}`,
        email: 'merchant@test.example',
        phone: '+251911000000',
        address: index % 5 === 0 ? 'Addis Ababa' : 'Bole 100%',
        merchant_category_id: categories[index % 16]?.id ?? null,
        status: index % 11 === 3 ? ('DEACTIVATED' as const) : ('ACTIVE' as const),
        deleted_at: index % 13 === 4 ? new Date() : null,
      })),
    )
    .execute();
  const productCategories = await database
    .insertInto('product_categories')
    .values(
      categoryNames.map((category_name, index) => ({
        category_name,
        category_description: '',
        deleted_at: index === 7 ? new Date() : null,
      })),
    )
    .returning('id')
    .execute();
  const products = await database
    .insertInto('products')
    .values(
      sample(names, 4).map((product_name, index) => ({
        product_name,
        description: index % 3 === 0 ? null : 'Data & voice',
        pricing_type: 'COMISSION' as const,
        status: index % 7 === 0 ? ('INACTIVE' as const) : ('ACTIVE' as const),
        product_category_id: productCategories[index % productCategories.length]?.id ?? 0,
        kind: 'PACKAGE' as const,
        price_amount: index % 6 === 0 ? null : String((index % 9) + 0.5),
        deleted_at: index % 17 === 2 ? new Date() : null,
      })),
    )
    .returning('id')
    .execute();
  await database
    .insertInto('partner_products')
    .values(
      products.map(({ id }, index) => ({
        partner_id: index % 4 === 1 ? strangerId : partnerId,
        product_id: id,
      })),
    )
    .execute();
});
afterAll(() => open?.close());

/** The rows that a partner may list, put together from the tables as they are. */
async function visible(list: 'merchants' | 'products'): Promise<NaiveRow[]> {
  if (list === 'merchants') {
    const categories = await database.selectFrom('merchant_categories').selectAll().execute();
    const merchants = await database.selectFrom('merchants').selectAll().execute();
    return merchants
      .filter(({ deleted_at, status }) => deleted_at === null && status === 'ACTIVE')
      .map((merchant) => {
        const category = categories.find(
          ({ id, deleted_at }) => id === merchant.merchant_category_id && deleted_at === null,
        );
        return {
          id: merchant.id,
          createdAt: merchant.created_at,
          merchantName: merchant.merchant_name,
          merchantType: merchant.merchant_type,
          identifierType: merchant.identifier_type,
          identifier: merchant.identifier,
          address: merchant.address,
          merchantCategoryId: merchant.merchant_category_id,
          'merchantCategory.categoryName': category?.category_name ?? null,
          'merchantCategory.isActive': category?.is_active ?? null,
        };
      });
  }
  const categories = await database.selectFrom('product_categories').selectAll().execute();
  const access = await database.selectFrom('partner_products').selectAll().execute();
  const products = await database.selectFrom('products').selectAll().execute();
  return products.flatMap((product) => {
    const category = categories.find(({ id }) => id === product.product_category_id);
    const isOwn = access.some(
      ({ partner_id, product_id }) => partner_id === partnerId && product_id === product.id,
    );
    if (!isOwn || !category || product.deleted_at || category.deleted_at) return [];
    if (product.price_amount === null) return [];
    return [
      {
        id: product.id,
        productName: product.product_name,
        description: product.description,
        status: product.status,
        'productCategory.categoryName': category.category_name,
        'productPrice.amount': Number(product.price_amount),
      },
    ];
  });
}

const searchedOf = (source: Pick<List<never>, 'columns'>) =>
  Object.entries(source.columns).flatMap(([name, column]) =>
    column.kind !== 'look-up' && column.isSearched ? [name] : [],
  );

describe.each([
  {
    list: 'merchants' as const,
    source: merchantList as List<{ id: number }>,
  },
  {
    list: 'products' as const,
    source: productList as List<{ id: number }>,
  },
])('pages of $list', ({ list, source }) => {
  const parse = (parameters: Record<string, string | string[]>) =>
    listQuery({ list: source, defaultLimit: 10 }).parse(parameters);

  it('are those of a naive implementation, whatever is asked', async () => {
    const rows = await visible(list);
    const kinds = Object.fromEntries(
      Object.keys(rows[0] ?? {}).map((name) => [name, source.columns[name] as QueriedColumn]),
    );
    const searched = searchedOf(source).filter((name) => name in kinds);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(queries(kinds, rows, source.sortBy[0] as SortBy[number]), async (query) => {
        const expected = naiveList(rows, query, { id: 'id', searched });
        const begin = (query.page - 1) * query.limit;
        const page = await readListPage(database, source, partnerId, parse(parametersOf(query)));
        expect(page.items.map(({ id }) => id)).toEqual(expected.slice(begin, begin + query.limit));
        if (page.items.length > 0) expect(page.totalItems).toBe(expected.length);
        found += page.items.length > 0 ? 1 : 0;
      }),
      { numRuns: 300 },
    );
    // Queries that find nothing would agree about anything; about 66 of 300 find something.
    expect(found).toBeGreaterThan(30);
  });

  it('hold every row once, however many sort alike', async () => {
    const rows = await visible(list);
    for (const column of Object.keys(rows[0] ?? {}))
      for (const direction of ['ASC', 'DESC']) {
        const seen: Cell[] = [];
        for (let page = 1; page <= Math.ceil(rows.length / 7); page += 1) {
          const query = parse({ sortBy: `${column}:${direction}`, limit: '7', page: String(page) });
          seen.push(
            ...(await readListPage(database, source, partnerId, query)).items.map(({ id }) => id),
          );
        }
        expect(seen.toSorted()).toEqual(rows.map(({ id }) => id ?? null).toSorted());
      }
  });

  it('are counted anew when anything has changed, and not before it is committed', async () => {
    const count = async () =>
      (await readListPage(database, source, partnerId, parse({ limit: '1' }))).totalItems;
    const before = await count();
    const { name } = source;
    await database.transaction().execute(async (transaction) => {
      const [first] = await visible(list);
      await sql`update ${sql.table(name)} set deleted_at = now() where id = ${first?.id}`.execute(
        transaction,
      );
      expect(await count()).toBe(before);
    });
    expect(await count()).toBe(before - 1);
    // Two at the same moment: the version of one must not hide the other's change.
    const [second, third] = await visible(list);
    await Promise.all(
      [second, third].map((row) =>
        sql`update ${sql.table(name)} set deleted_at = now() where id = ${row?.id}`.execute(
          database,
        ),
      ),
    );
    expect(await count()).toBe(before - 3);
  });
});
