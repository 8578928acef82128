import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { priceSubjects } from '../../../src/db/catalogue/prices.ts';
import type { Database, DatabaseTransaction } from '../../../src/db/connection.ts';
import { insertVouchers } from '../../../src/db/vouchers/generation.ts';
import { setSellingPrice } from '../../../src/operations/prices.ts';
import { credentialOf } from '../../admin/movements.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { addGiftSeller, addShop, type GiftSeller, giftRequest, priceGift } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

let open: OpenDatabase;
let database: Database;
let seller: GiftSeller;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());
beforeEach(async () => {
  seller = await addGiftSeller(database);
});

/** The price that generating a voucher for a merchant goes by. */
async function priceAt(merchantId: number): Promise<string | null> {
  const { partnerId, denominationId } = seller;
  const credential = await credentialOf(database, 'partner', partnerId);
  const partner = { kind: 'partner', id: partnerId, credential } as const;
  const [generated] = await insertVouchers(database, [
    giftRequest({ partner, merchant: { id: merchantId }, denominationId }),
  ]);
  const { sellingPriceUsd = null, voucherId = null } = generated ?? {};
  const frozen = await database
    .selectFrom('vouchers')
    .select('selling_price_usd')
    .where('id', '=', voucherId)
    .executeTakeFirst();
  expect(frozen?.selling_price_usd ?? null).toBe(sellingPriceUsd);
  return sellingPriceUsd;
}

const pricesSet = () =>
  database
    .selectFrom('partner_gift_denomination_prices')
    .select(['merchant_id', 'selling_price_usd'])
    .select(sql<boolean>`replaced_at is null`.as('isCurrent'))
    .where('partner_id', '=', seller.partnerId)
    .orderBy('id')
    .execute();

describe('a price', () => {
  it('is missing until it is set', async () => {
    expect(await priceAt(seller.merchantId)).toBeNull();
    await priceGift(database, seller, '1.05');
    expect(await priceAt(seller.merchantId)).toBe('1.050000');
  });

  it('for one merchant comes before the one for all, whichever was set first', async () => {
    const [early, late] = [await addShop(database), await addShop(database)];
    await priceGift(database, seller, '2', early);
    await priceGift(database, seller, '1');
    await priceGift(database, seller, '3', late);
    expect(await priceAt(early)).toBe('2.000000');
    expect(await priceAt(late)).toBe('3.000000');
    expect(await priceAt(seller.merchantId)).toBe('1.000000');
  });

  it('for one merchant is none for another', async () => {
    await priceGift(database, seller, '2', await addShop(database));
    expect(await priceAt(seller.merchantId)).toBeNull();
  });

  it('of one partner is none of another', async () => {
    await priceGift(
      database,
      { ...seller, partnerId: (await addGiftSeller(database)).partnerId },
      '2',
    );
    expect(await priceAt(seller.merchantId)).toBeNull();
  });

  it('that is replaced stays as history', async () => {
    const { merchantId } = seller;
    await priceGift(database, seller, '1');
    await priceGift(database, seller, '5', merchantId);
    await priceGift(database, seller, '2');
    expect(await pricesSet()).toEqual([
      { merchant_id: null, selling_price_usd: '1.000000', isCurrent: false },
      { merchant_id: merchantId, selling_price_usd: '5.000000', isCurrent: true },
      { merchant_id: null, selling_price_usd: '2.000000', isCurrent: true },
    ]);
  });

  it.each([
    ['for all merchants', () => null],
    ['for one merchant', () => seller.merchantId],
  ])('%s that is set several times at once is one in the end', async (_name, merchantId) => {
    const prices = ['1', '2', '3', '4', '5', '6'];
    await Promise.all(prices.map((price) => priceGift(database, seller, price, merchantId())));
    const set = await pricesSet();
    expect(set).toHaveLength(prices.length);
    expect(set.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  });

  it.each([
    ['another', '3', { before: '2.000000', after: '3' }],
    ['the same', '2', undefined],
  ])('is followed by %s one that somebody sets meanwhile', async (_, price, details) => {
    await priceGift(database, seller, '1');
    const set = (transaction: DatabaseTransaction, sellingPriceUsd: string) =>
      setSellingPrice(transaction, { ...seller, merchantId: null, sellingPriceUsd });
    const { second } = await database.transaction().execute(async (transaction) => {
      await set(transaction, '2');
      const waiting = database.transaction().execute((other) => set(other, price));
      await untilBlockedBy(transaction, database, 1);
      return { second: waiting };
    });
    const result = await second;
    expect(result.ok && result.details).toEqual(details && expect.objectContaining(details));
    expect(await pricesSet()).toHaveLength(details ? 3 : 2);
  });

  it.each([
    ['merchants', { deleted_at: new Date() }, { ok: false, missing: 'merchant' }],
    ['merchants', { status: 'DEACTIVATED' }, { ok: false, missing: 'merchant' }],
    ['gift_denominations', { status: 'INACTIVE' }, { ok: false, missing: 'denomination' }],
    ['gift_denominations', { amount_etb: '7' }, { ok: true, details: { amount: '7.000000' } }],
  ] as const)('knows how its %s change meanwhile: %j', async (table, change, result) => {
    const { merchantId, denominationId } = seller;
    const id = table === 'merchants' ? merchantId : denominationId;
    const { setting } = await database.transaction().execute(async (transaction) => {
      await transaction.updateTable(table).set(change).where('id', '=', id).execute();
      const waiting = database
        .transaction()
        .execute((other) =>
          setSellingPrice(other, { ...seller, merchantId, sellingPriceUsd: '1' }),
        );
      await Promise.race([waiting, untilBlockedBy(transaction, database, 1)]);
      return { setting: waiting };
    });
    expect(await setting).toMatchObject(result);
    expect(await pricesSet()).toHaveLength(result.ok ? 1 : 0);
  });

  it.each(['0', '-1'])('of %s is refused, and the one before stays', async (price) => {
    await priceGift(database, seller, '1');
    await expect(priceGift(database, seller, price)).rejects.toThrow();
    expect(await priceAt(seller.merchantId)).toBe('1.000000');
  });
});

describe('priceSubjects', () => {
  const subjects = (merchantId: number | null, denominationId = seller.denominationId) =>
    priceSubjects(database, { denominationId, merchantId });

  it('finds what is there', async () => {
    expect(await subjects(null)).toEqual({ amount: expect.any(String), hasMerchant: true });
    expect(await subjects(seller.merchantId)).toEqual({
      amount: expect.any(String),
      hasMerchant: true,
    });
  });

  it('misses what is not, or no more', async () => {
    expect(await subjects(0, 0)).toEqual({ amount: null, hasMerchant: false });
    const { denominationId, merchantId } = seller;
    await database
      .updateTable('gift_denominations')
      .set({ status: 'INACTIVE' })
      .where('id', '=', denominationId)
      .execute();
    await database
      .updateTable('merchants')
      .set({ status: 'DEACTIVATED' })
      .where('id', '=', merchantId)
      .execute();
    expect(await subjects(merchantId)).toEqual({ amount: null, hasMerchant: false });
  });
});
