import { afterAll, beforeAll, expect, it } from 'vitest';
import { addProduct } from '../../../src/db/catalogue/companies.ts';
import { type Answer, partnerClient, type RawPartner } from '../../support/clients.ts';
import { makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** A name that only another partner's rows have. */
const SECRET = 'Hidden-7f3a';
const PHONE = '+251911998877';
const SLOW_MS = 20_000;

let stack: Stack;
let asPartner: RawPartner;
let other: TestPartner;

beforeAll(async () => {
  stack = await startStack();
  const partner = await makePartner(stack);
  other = await makePartner(stack);
  await addProduct(
    stack.database,
    {
      product_name: SECRET,
      kind: 'PACKAGE',
      pricing_type: 'COMISSION',
      price_amount: '15',
      product_category_id: await giftCategoryOf(other),
    },
    other.id,
  );
  await makeMerchant(stack, { phone: PHONE, merchant_name: "O'Neil; 100% _\\ <b>" });
  asPartner = await partnerClient(stack, partner);
});
afterAll(() => stack?.stop());

async function giftCategoryOf({ giftProductId }: TestPartner): Promise<number> {
  const { product_category_id } = await stack.database
    .selectFrom('products')
    .select('product_category_id')
    .where('id', '=', giftProductId)
    .executeTakeFirstOrThrow();
  return product_category_id;
}

/** Every list with one of its columns of text and one of its numbers. */
const lists = [
  ['/merchants', 'merchantName', 'id'],
  ['/merchant-categories', 'categoryName', 'id'],
  ['/promos', 'productCategory.categoryName', 'discountPercentage'],
  ['/product-list', 'productName', 'productPrice.amount'],
  ['/product-categories-list', 'categoryDescription', 'id'],
  ['/gift-denominations', 'status', 'amountEtb'],
  ['/partner-gift-denomination-prices', 'sellingPriceUsd', 'merchantId'],
  ['/topup-transactions', 'reference', 'amount'],
] as const;

const values = [
  "' or '1'='1",
  "'; drop table merchants; --",
  "x') union select id, key_digest from api_keys --",
  '" or ""="',
  '\\',
  "\\'; select pg_sleep(10); --",
  '$1',
  '$$; select 1 $$',
  "'||(select pg_sleep(10))||'",
  '1 or 1=1',
  '1; select 1',
  '/* */',
  '{}',
  '{"a":1}',
  '[object Object]',
  '%',
  '%'.repeat(200),
  '_%'.repeat(100),
  '(a+)+$',
  '(.*)*'.repeat(40),
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e400',
  '-0',
  '0x10',
  '99999999999999999999',
  '999999999999999',
  '-999999999999999',
  '9'.repeat(200),
  '9999-12-31T23:59:59.999Z',
  '0001-01-01',
  'infinity',
  'epoch',
  '\u0000',
  'a\u0000b',
  '\ufeff',
  '\u202e',
  '💡'.repeat(50),
  'İstanbul ẞ Σς',
  '__proto__',
  'constructor.prototype',
  SECRET,
  PHONE,
];
/** Each value meets four of them on each list, and all of them on the eight lists together. */
const OPERATORS_A_LIST = 4;
const operators = [
  '',
  '$eq:',
  '$not:',
  '$in:',
  '$gt:',
  '$lte:',
  '$btw:',
  '$ilike:',
  '$sw:',
  '$null',
];

function expectHarmless(answer: Answer, milliseconds: number): void {
  expect([200, 400, 404]).toContain(answer.status);
  expect(answer.body.statusCode).toBe(answer.status);
  expect(answer.body.success).toBe(answer.status === 200);
  const data = JSON.stringify(answer.body.data);
  expect(data).not.toContain(SECRET);
  expect(data).not.toContain('998877');
  expect(milliseconds).toBeLessThan(SLOW_MS);
}

/** Asks with a query as it is, and answers how long that took, too. */
async function ask(path: string, query: string): Promise<Answer> {
  const startedAt = performance.now();
  const answer = await asPartner.get(`${path}?${query}`);
  expectHarmless(answer, performance.now() - startedAt);
  return answer;
}

const operatorsFor = (value: number, list: number) =>
  Array.from(
    { length: OPERATORS_A_LIST },
    (_, index) => operators[(value + list * OPERATORS_A_LIST + index) % operators.length] ?? '',
  );

it('every value meets every operator on some list', () => {
  for (const value of values.keys()) {
    const met = lists.flatMap((_list, list) => operatorsFor(value, list));
    expect(new Set(met)).toEqual(new Set(operators));
  }
});

it.each(lists.map((list, index) => [...list, index] as const))(
  '%s takes every value for a value',
  async (path, text, number, list) => {
    for (const [index, value] of values.entries()) {
      const encoded = encodeURIComponent(value);
      const queries = [
        `search=${encoded}`,
        `q=${text}=${encoded},${number}=${encoded}`,
        ...operatorsFor(index, list).flatMap((operator) => [
          `filter.${text}=${operator}${encoded}`,
          `filter.${number}=${operator}${encoded},${encoded}`,
        ]),
      ];
      await Promise.all(queries.map((query) => ask(path, query)));
    }
  },
);

/** All lists read the names of fields, the order and the page by one function. */
const ANY_LIST = '/merchants';

it('no value is a field, an order or a page', async () => {
  for (const value of values) {
    const encoded = encodeURIComponent(value);
    const queries = [
      `search=a&searchBy=${encoded}`,
      `sortBy=${encoded}`,
      `sortBy=${encoded}:DESC`,
      `sortBy=merchantName:${encoded}`,
      `q=${encoded}`,
      `filter.${encoded}=1`,
      `page=${encoded}`,
      `limit=${encoded}`,
    ];
    await Promise.all(queries.map((query) => ask(ANY_LIST, query)));
  }
});

it.each([
  'sortBy[]=id:ASC&sortBy[]=id:DESC',
  'sortBy[0][a]=id',
  'filter[id]=1',
  'filter=id=1',
  'filter.=1',
  'filter',
  'page=1&page=2',
  'limit=1&limit=2',
  'search=a&search=b',
  'search[]=a',
  'q',
  'q=&q=',
  'limit=-1',
  'limit=0',
  'limit=1e9',
  'page=1000000&limit=100',
  'page=1000001',
  '__proto__=1&__proto__[a]=1&constructor.prototype=1',
  'filter.__proto__=1',
  'filter.constructor=1',
  'filter.toString=1',
  'sortBy=__proto__:ASC&sortBy=constructor:ASC&sortBy=hasOwnProperty:DESC',
  'search=%',
  'search=%ff%fe',
  'search=%ed%a0%80',
  '%',
  '%00=%00',
  '&&&=&=',
  `${'sortBy=id:ASC&'.repeat(900)}`,
  `${'filter.id=1&'.repeat(900)}`,
  `q=${'id=1,'.repeat(2_000)}`,
  `q=${','.repeat(12_000)}`,
  `filter.id=${'$not:'.repeat(2_000)}1`,
  `filter.id=$in:${'1,'.repeat(6_000)}1`,
  `search=${'%25'.repeat(60)}`,
  `search=${'s'.repeat(12_000)}`,
])('stands ?%s', async (query) => {
  await ask(ANY_LIST, query);
});

it('does not follow a value that is longer than a request may be', async () => {
  // The HTTP server answers before there is an endpoint whose description could be held against it.
  const url = `${asPartner.base}${ANY_LIST}?search=${'s'.repeat(50_000)}`;
  const answer = await fetch(url, { headers: { 'x-api-token': asPartner.token } });
  expect([answer.status, await answer.json()]).toMatchObject([431, { success: false }]);
});

it('nothing of it has changed anything', async () => {
  const { body } = await asPartner.get('/merchants?search=%25 _%5C');
  expect(body.data).toMatchObject([{ merchantName: "O'Neil; 100% _\\ <b>" }]);
  expect((await asPartner.get('/merchants?search=%25%25')).body.data).toEqual([]);
});
