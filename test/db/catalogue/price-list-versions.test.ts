import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endPrices } from '../../../src/db/catalogue/companies.ts';
import { replacePrice } from '../../../src/db/catalogue/prices.ts';
import type { Database } from '../../../src/db/connection.ts';
import { priceList } from '../../../src/db/lists/catalogue.ts';
import { readListPage } from '../../../src/db/lists/list-page.ts';
import { addGiftSeller, addShop, type GiftSeller, priceGift } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

let open: OpenDatabase;
let database: Database;
let seller: GiftSeller;
let other: GiftSeller;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());
beforeEach(async () => {
  seller = await addGiftSeller(database);
  other = { ...(await addGiftSeller(database)), denominationId: seller.denominationId };
  await priceGift(database, seller, '1');
  await priceGift(database, other, '1');
});

/** What the list of a partner says about how many prices it has; 1 row a page. */
async function countedOf({ partnerId }: GiftSeller): Promise<number> {
  const { totalItems } = await readListPage(database, priceList, partnerId, {
    page: 1,
    limit: 1,
    sortBy: [['id', 'ASC']],
    conditions: [],
    isUsual: true,
  });
  return totalItems;
}

async function referenceDataVersion(): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select version from reference_data_version`.execute(database);
  return rows[0]?.version ?? 0;
}

async function versionOf({ partnerId }: GiftSeller): Promise<number> {
  const { version } = await database
    .selectFrom('price_list_versions')
    .select('version')
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow();
  return version;
}

describe('a price that is set', () => {
  it('makes no other list be counted anew', async () => {
    const before = await referenceDataVersion();
    await priceGift(database, seller, '2');
    expect(await referenceDataVersion()).toBe(before);
  });

  it('makes the prices of its partner be counted anew, once, and of nobody else', async () => {
    const [own, others] = [await versionOf(seller), await versionOf(other)];
    await priceGift(database, seller, '2');
    expect([await versionOf(seller), await versionOf(other)]).toEqual([own + 1, others]);
  });

  it('is counted once it is committed, and not before', async () => {
    expect(await countedOf(seller)).toBe(1);
    const merchantId = await addShop(database);
    await database.transaction().execute(async (transaction) => {
      await replacePrice(transaction, { ...seller, merchantId, sellingPriceUsd: '2' });
      expect(await countedOf(seller)).toBe(1);
    });
    expect(await countedOf(seller)).toBe(2);
    // One that takes the place of another leaves as many.
    await priceGift(database, seller, '3', merchantId);
    expect(await countedOf(seller)).toBe(2);
    expect(await countedOf(other)).toBe(1);
  });

  it('waits for no other partner that is setting one', async () => {
    await database.transaction().execute(async (transaction) => {
      await replacePrice(transaction, { ...seller, merchantId: null, sellingPriceUsd: '2' });
      await priceGift(database, other, '2');
    });
    expect([await countedOf(seller), await countedOf(other)]).toEqual([1, 1]);
  });
});

it('prices that end or are removed are counted no more, whosever they are', async () => {
  expect([await countedOf(seller), await countedOf(other)]).toEqual([1, 1]);
  const merchantIds = [await addShop(database), await addShop(database)];
  for (const merchantId of merchantIds) {
    await priceGift(database, seller, '2', merchantId);
    await priceGift(database, other, '2', merchantId);
  }
  expect([await countedOf(seller), await countedOf(other)]).toEqual([3, 3]);
  const [ended = 0, removed = 0] = merchantIds;
  await database
    .transaction()
    .execute((transaction) => endPrices(transaction, 'merchant_id', ended));
  expect([await countedOf(seller), await countedOf(other)]).toEqual([2, 2]);
  await database
    .deleteFrom('partner_gift_denomination_prices')
    .where('merchant_id', '=', removed)
    .where('partner_id', '=', seller.partnerId)
    .execute();
  expect([await countedOf(seller), await countedOf(other)]).toEqual([1, 2]);
});
