import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addProduct } from '../../../src/db/catalogue/companies.ts';
import { addRow } from '../../../src/db/connection.ts';
import { partnerClient, type RawPartner } from '../../support/clients.ts';
import { makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { expectRefusal } from '../bad-input/refusals.ts';

let stack: Stack;
let partner: TestPartner;
let asPartner: RawPartner;
let asOther: RawPartner;
let other: TestPartner;

const PUBLIC_URL = 'https://vouchers.example';
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

/** Every list, with the size and the order it has by itself. */
const everyList = [
  { path: '/merchants', limit: 10, sortBy: ['merchantName', 'ASC'] },
  { path: '/merchant-categories', limit: 10, sortBy: ['categoryName', 'ASC'] },
  { path: '/promos', limit: 20, sortBy: ['id', 'DESC'] },
  { path: '/product-list', limit: 20, sortBy: ['id', 'DESC'] },
  { path: '/product-categories-list', limit: 10, sortBy: ['id', 'DESC'] },
  { path: '/gift-denominations', limit: 100, sortBy: ['amountEtb', 'ASC'] },
  { path: '/client/gift-denominations', limit: 100, sortBy: ['amountEtb', 'ASC'] },
  { path: '/partner-gift-denomination-prices', limit: 20, sortBy: ['denominationId', 'ASC'] },
  {
    path: '/client/partner-gift-denomination-prices',
    limit: 20,
    sortBy: ['denominationId', 'ASC'],
  },
  { path: '/topup-transactions', limit: 20, sortBy: ['transactionId', 'DESC'] },
  { path: '/vouchers', limit: 20, sortBy: ['id', 'DESC'] },
] as const;

beforeAll(async () => {
  stack = await startStack({ PUBLIC_URL, PROMO_IMAGE_FOLDER: 'src/local/start/images' });
  partner = await makePartner(stack);
  other = await makePartner(stack);
  asPartner = await partnerClient(stack, partner);
  asOther = await partnerClient(stack, other);
  const packages = await addRow(stack.database, 'product_categories', {
    category_name: 'PACKAGES',
    category_description: 'Voice and data',
  });
  const packageOf = (product_name: string, owner: number | undefined) =>
    addProduct(
      stack.database,
      {
        product_name,
        kind: 'PACKAGE',
        operator: 'ETHIO_TELECOM',
        pricing_type: 'COMISSION',
        price_amount: '15',
        product_category_id: packages,
      },
      owner,
    );
  await packageOf('Daily data', partner.id);
  await packageOf('Weekly voice', partner.id);
  await packageOf('Monthly data', partner.id);
  await packageOf('Of another partner', other.id);
  await packageOf('Of nobody', undefined);
  const food = await addRow(stack.database, 'merchant_categories', { category_name: 'Food' });
  await makeMerchant(stack, { merchant_name: 'bole Café', merchant_category_id: food });
  await makeMerchant(stack, { merchant_name: 'Awash', phone: '+251911998877' });
  await makeMerchant(stack, { merchant_name: 'Closed', status: 'DEACTIVATED' });
  const gone = await makeMerchant(stack, { merchant_name: 'Gone' });
  await stack.database
    .updateTable('merchants')
    .set({ deleted_at: new Date() })
    .where('id', '=', gone.id)
    .execute();
  const promo = {
    product_category_id: packages,
    promo_image: 'promos/data-week.png',
    promo_description: 'More data',
    promo_start_date: daysFromNow(-1),
    promo_end_date: daysFromNow(1),
  };
  for (const row of [
    { ...promo, promo_name: 'Now', bonus_percentage: '12.5' },
    { ...promo, promo_name: 'Inactive', status: 'INACTIVE' as const },
    { ...promo, promo_name: 'Over', promo_end_date: daysFromNow(-0.5) },
    { ...promo, promo_name: 'Later', promo_start_date: daysFromNow(0.5) },
    { ...promo, promo_name: 'Deleted', deleted_at: new Date() },
  ])
    await addRow(stack.database, 'promos', row);
});
afterAll(() => stack?.stop());

const names = (answer: { body: { data: Record<string, unknown>[] } }, name: string) =>
  answer.body.data.map((item) => item[name]);

describe.each(everyList)('$path', ({ path, limit, sortBy }) => {
  it('has the envelope, meta and links of specification 2.1 and 2.2', async () => {
    const { status, body } = await asPartner.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      statusCode: 200,
      meta: { itemsPerPage: limit, currentPage: 1, sortBy: [sortBy] },
    });
    expect(body.data).toHaveLength(body.meta.totalItems);
    expect(body.meta.totalPages).toBe(body.meta.totalItems === 0 ? 0 : 1);
    expect(body.links).toEqual({
      current: `${PUBLIC_URL}/api/v1/client${path}?page=1&limit=${limit}&sortBy=${sortBy.join(':')}`,
    });
  });

  it('has no page behind the last, while the first is there when it is empty', async () => {
    const refused = await asPartner.get(`${path}?page=2&limit=100`);
    expectRefusal(refused, 'partner', 404, { reason: 'page-not-found' });
    const [column] = sortBy;
    const filter = column.endsWith('Name') ? 'nothing' : '-1';
    const { status, body } = await asPartner.get(`${path}?filter.${column}=${filter}`);
    expect([status, body.data, body.meta.totalItems]).toEqual([200, [], 0]);
    expect(body.meta.filter).toMatchObject({ [column]: filter });
  });

  it('is kept by its caller alone, who is told 304 while nothing has changed', async () => {
    const first = await asPartner.get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toBe('x-api-token, Authorization');
    const again = await asPartner.get(path, { 'If-None-Match': `"other", W/${etag}` });
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, undefined, etag]);
    expect((await asPartner.get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
    const longer = await asPartner.get(`${path}?limit=99`, { 'If-None-Match': etag });
    expect(longer.status).toBe(200);
    const refused = await asPartner.get(`${path}?page=0`, { 'If-None-Match': etag });
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([400, 'no-store']);
  });

  it('is refused without a token', async () => {
    const { status, headers } = await asPartner.get(path, { 'x-api-token': 'none' });
    expect([status, headers.get('cache-control')]).toEqual([401, 'no-store']);
  });
});

describe('merchants', () => {
  it('are the active ones, by name, whatever its case', async () => {
    const answer = await asPartner.get('/merchants');
    expect(names(answer, 'merchantName')).toEqual(['Awash', 'bole Café']);
    expect(answer.body.data[1]).toEqual({
      id: expect.any(Number),
      createdAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
      deletedAt: null,
      merchantName: 'bole Café',
      merchantLogo: null,
      merchantType: 'RETAIL',
      identifierType: 1,
      identifier: expect.any(String),
      email: 'merchant@test.example',
      phone: '+2519*****000',
      address: 'Addis Ababa',
      merchantCategoryId: expect.any(Number),
      merchantCategory: {
        id: expect.any(Number),
        createdAt: expect.stringMatching(TIME),
        updatedAt: expect.stringMatching(TIME),
        deletedAt: null,
        categoryName: 'Food',
        isActive: true,
      },
    });
    expect(answer.body.data[0]).toMatchObject({ merchantCategory: null });
    expect(answer.body.data[0]).not.toHaveProperty('merchantCategoryId');
    expect(answer.body.meta).not.toHaveProperty('filter');
  });

  it('do not tell a phone number to one who tries numbers', async () => {
    for (const query of [
      'filter.phone=$sw:%2B251911998',
      'q=phone=%2B251911998877',
      'search=998877&searchBy=phone',
      'sortBy=phone:ASC',
    ])
      expect((await asPartner.get(`/merchants?${query}`)).status).toBe(400);
    expect((await asPartner.get('/merchants?search=998877')).body.data).toEqual([]);
  });

  it('are found by what related columns hold, and links repeat how', async () => {
    const query = 'filter.merchantCategory.categoryName=$sw:foo&search=CAFÉ&limit=1';
    const { body } = await asPartner.get(`/merchants?${query}`);
    expect(names({ body }, 'merchantName')).toEqual(['bole Café']);
    expect(body.meta).toMatchObject({
      search: 'CAFÉ',
      filter: { 'merchantCategory.categoryName': '$sw:foo' },
    });
    expect(body.links.current).toBe(
      `${PUBLIC_URL}/api/v1/client/merchants?page=1&limit=1&sortBy=merchantName:ASC` +
        '&search=CAF%C3%89&filter.merchantCategory.categoryName=$sw:foo',
    );
  });

  it('of a category that was deleted show none', async () => {
    const category = await addRow(stack.database, 'merchant_categories', {
      category_name: 'Former',
    });
    const merchant = await makeMerchant(stack, { merchant_category_id: category });
    const show = async () =>
      (await asPartner.get(`/merchants?filter.id=${merchant.id}`)).body.data[0];
    expect((await show()).merchantCategory).toMatchObject({ id: category });
    await stack.database
      .updateTable('merchant_categories')
      .set({ deleted_at: new Date() })
      .where('id', '=', category)
      .execute();
    expect(await show()).toMatchObject({ merchantCategoryId: category, merchantCategory: null });
    expect(names(await asPartner.get('/merchant-categories'), 'categoryName')).toEqual(['Food']);
    await stack.database
      .updateTable('merchants')
      .set({ status: 'DEACTIVATED' })
      .where('id', '=', merchant.id)
      .execute();
  });
});

describe('the balance', () => {
  it('has a link to itself with page, limit and order, and meta without an order', async () => {
    const { body } = await asPartner.get('/info/get-current-balance');
    const address = `${PUBLIC_URL}/api/v1/client/info/get-current-balance`;
    expect(body.links).toEqual({ current: `${address}?page=1&limit=1&sortBy=walletBalance:ASC` });
    expect(body.meta).toEqual({ itemsPerPage: 1, totalItems: 1, currentPage: 1, totalPages: 1 });
  });
});

it('takes its parameters with what comes along with copied text', async () => {
  const plain = await asPartner.get('/merchants?page=1&limit=5&sortBy=id:DESC&filter.id=$gte:1');
  const copied = ['page', 'limit', 'sortBy', 'filter.id', 'q'].map((name) => {
    const text = { page: '1', limit: '5', sortBy: 'id:DESC', 'filter.id': '$gte: 1', q: '' };
    const value = text[name as keyof typeof text];
    return `${name}=${encodeURIComponent(`\u202a${value}\u202c `)}`;
  });
  const { status, body } = await asPartner.get(`/merchants?${copied.join('&')}`);
  expect(status).toBe(200);
  expect(body.data).toEqual(plain.body.data);
});

describe('a page or a limit that is none', () => {
  it.each([
    ['limit=0', 'limit: must be one whole number above 0'],
    ['page=0', 'page: must be one whole number from 1 to 1000000'],
    ['limit=1&limit=2', 'limit: must be one whole number above 0'],
  ])('?%s says what to send', async (query, message) => {
    const { status, body } = await asPartner.get(`/merchants?${query}`);
    expect([status, body.message]).toEqual([400, `The request is not valid: ${message}`]);
  });
});

describe('products', () => {
  it('are those that the partner has access to', async () => {
    const answer = await asPartner.get('/product-list');
    expect(names(answer, 'productName')).toEqual(['Monthly data', 'Weekly voice', 'Daily data']);
    expect(answer.body.meta.filter).toEqual({
      'allowedProducts.partnerCompanyId': String(partner.id),
    });
    expect(names(await asOther.get('/product-list'), 'productName')).toEqual([
      'Of another partner',
    ]);
  });

  it.each(['PACKAGES', 'packages', '%20Packages'])('of the category %s', async (category) => {
    const answer = await asPartner.get(
      `/product-list?q=productCategory.categoryName=${category}&sortBy=productName:ASC`,
    );
    expect(answer.body.data).toEqual([
      {
        id: expect.any(Number),
        createdAt: expect.stringMatching(TIME),
        updatedAt: expect.stringMatching(TIME),
        productName: 'Daily data',
        description: null,
        metadata: { operator: 'ETHIO_TELECOM' },
        pricingType: 'COMISSION',
        status: 'ACTIVE',
        productCategory: { categoryName: 'PACKAGES' },
        productPrice: { amount: '15.000000' },
      },
      expect.objectContaining({ productName: 'Monthly data' }),
      expect.objectContaining({ productName: 'Weekly voice' }),
    ]);
    expect(answer.body.meta.filter).toEqual({
      'productCategory.categoryName': decodeURIComponent(category).trim(),
      'allowedProducts.partnerCompanyId': String(partner.id),
    });
  });

  it('without a unit price are not listed, whatever is asked for', async () => {
    const queries = ['filter.productPrice.amount=$null', 'search=Gift', 'sortBy=productName:ASC'];
    for (const query of queries) {
      const { body } = await asPartner.get(`/product-list?${query}`);
      expect(names({ body }, 'productName')).not.toContain('Gift voucher');
      expect(body.meta.totalItems).toBe(body.data.length);
    }
  });

  it('are gone as soon as the access is taken, and the count with them', async () => {
    const [first] = (await asOther.get('/product-list')).body.data;
    await stack.database
      .deleteFrom('partner_products')
      .where('product_id', '=', first.id)
      .execute();
    const { body } = await asOther.get('/product-list');
    expect([names({ body }, 'productName'), body.meta.totalItems]).toEqual([[], 0]);
    expect((await asOther.get('/product-categories-list')).body.meta.totalItems).toBe(1);
  });
});

describe('product categories', () => {
  it('are the active ones with a product that the partner has access to', async () => {
    const { body } = await asPartner.get('/product-categories-list');
    expect(names({ body }, 'categoryName')).toEqual(['PACKAGES', expect.stringMatching(/^GIFTS /)]);
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      createdAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
      categoryName: 'PACKAGES',
      categoryDescription: 'Voice and data',
      status: 'ACTIVE',
    });
    expect(body.meta.filter).toEqual({ 'allowedProducts.partnerCompanyId': String(partner.id) });
  });
});

describe('promos', () => {
  it('are the active ones that have begun and not ended', async () => {
    const { body } = await asPartner.get('/promos');
    expect(body.data).toEqual([
      {
        id: expect.any(Number),
        createdAt: expect.stringMatching(TIME),
        updatedAt: expect.stringMatching(TIME),
        productCategoryId: expect.any(Number),
        promoName: 'Now',
        promoImage: 'promos/data-week.png',
        promoDescription: 'More data',
        promoStartDate: expect.stringMatching(TIME),
        promoEndDate: expect.stringMatching(TIME),
        discountPercentage: 0,
        bonusPercentage: 12.5,
        status: 'ACTIVE',
        constraint: 0,
      },
    ]);
    expect(body.meta.filter).toEqual({});
  });

  it('have images that are served at the paths that they name', async () => {
    const { body } = await asPartner.get('/promos');
    for (const base of [stack.url, asPartner.base]) {
      const response = await fetch(`${base}/${body.data[0].promoImage}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('image/png');
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
      const content = Buffer.from(await response.arrayBuffer());
      expect(content).toEqual(readFileSync('src/local/start/images/promos/data-week.png'));
    }
  });
});

describe('denominations', () => {
  it('stay visible when they are inactive', async () => {
    const { unpriced } = partner.denominations;
    const show = async () =>
      (await asPartner.get(`/gift-denominations?filter.id=${unpriced}`)).body.data;
    expect(await show()).toEqual([{ id: unpriced, status: 'ACTIVE', amountEtb: 750 }]);
    await stack.database
      .updateTable('gift_denominations')
      .set({ status: 'INACTIVE' })
      .where('id', '=', unpriced)
      .execute();
    expect(await show()).toEqual([{ id: unpriced, status: 'INACTIVE', amountEtb: 750 }]);
  });
});

describe('selling prices', () => {
  const path = '/partner-gift-denomination-prices';

  it('are the own ones that hold now; setting one keeps what it replaces', async () => {
    const denominationId = partner.denominations[500];
    const list = async (client: RawPartner) =>
      (await client.get(`${path}?filter.denominationId=${denominationId}`)).body.data;
    const [before] = await list(asPartner);
    expect(before).toMatchObject({ merchantId: null, sellingPriceUsd: '4.750000' });
    const set = await asPartner.post(path, { denominationId, sellingPriceUsd: '4.8' });
    expect(set.body.data).toEqual({
      id: expect.any(Number),
      createdAt: expect.stringMatching(TIME),
      denominationId,
      merchantId: null,
      sellingPriceUsd: '4.800000',
    });
    expect(await list(asPartner)).toEqual([set.body.data]);
    expect(await list(asOther)).toEqual([]);
    const history = await stack.database
      .selectFrom('partner_gift_denomination_prices')
      .select(['id', 'selling_price_usd', 'replaced_at'])
      .where('denomination_id', '=', denominationId)
      .orderBy('id')
      .execute();
    expect(history).toEqual([
      { id: before.id, selling_price_usd: '4.750000', replaced_at: expect.any(Date) },
      { id: set.body.data.id, selling_price_usd: '4.800000', replaced_at: null },
    ]);
  });
});

describe('the pages of a list', () => {
  it('are linked to each other, and the links lead where they say', async () => {
    const follow = (link: string) =>
      asPartner.get(link.slice(`${PUBLIC_URL}/api/v1/client`.length));
    const query = '?limit=1&sortBy=productName:DESC&filter.productName=$not:nothing%26%23';
    const first = (await asPartner.get(`/product-list${query}`)).body;
    expect(Object.keys(first.links)).toEqual(['current', 'next', 'last']);
    const second = (await follow(first.links.next)).body;
    expect(Object.keys(second.links)).toEqual(['first', 'previous', 'current', 'next', 'last']);
    const last = (await follow(second.links.last)).body;
    expect(Object.keys(last.links)).toEqual(['first', 'previous', 'current']);
    expect((await follow(last.links.previous)).body).toEqual(second);
    expect((await follow(second.links.first)).body).toEqual(first);
    expect(first.meta).toMatchObject({ totalItems: 3, totalPages: 3 });
    expect(
      [first, second, last].flatMap(({ data }) => names({ body: { data } }, 'productName')),
    ).toEqual(['Weekly voice', 'Monthly data', 'Daily data']);
  });
});
