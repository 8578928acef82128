import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GrownDatabase, growDatabase } from '../../../bench/growth/grown-database.js';
import { createDigests } from '../../../src/crypto/digests.js';
import { connectDatabase, type Database } from '../../../src/db/connection.js';
import { readWalletTransactions } from '../../../src/db/ledger/wallet-transactions.js';
import { readListPage } from '../../../src/db/lists/list-page.js';
import type { ListQuery } from '../../../src/db/lists/list-query.js';
import { redemptionSource } from '../../../src/db/vouchers/redemption-list.js';
import { voucherSource } from '../../../src/db/vouchers/voucher-list.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { addVoucher } from '../../support/vouchers.js';

const VOUCHERS = 9_000;
const OWN_VOUCHERS = VOUCHERS * 0.9;
/** Far fewer than the partner has, and more than a page with what surrounds it. */
const FEW_ROWS = 200;

let testDatabase: TestDatabase;
let database: Database;
let grown: GrownDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  grown = await growDatabase({
    url: testDatabase.url,
    config: { ENVIRONMENT: 'test' },
    digests: createDigests(Buffer.alloc(32, 1)),
    vouchers: VOUCHERS,
    signal: new AbortController().signal,
    note: () => {},
  });
  database = connectDatabase(testDatabase.url, { poolSize: 1 });
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

/** How many rows and index entries of a table some work reads; the pool has one connection. */
async function rowsRead(table: string, work: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    // What this session has read is told to others, and to itself, at once.
    await sql`select pg_stat_force_next_flush()`.execute(database);
    const { rows } = await sql<{ count: number }>`
      select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes as one
        where one.relid = own.relid) as count
      from pg_stat_user_tables as own where relname = ${table}`.execute(database);
    return Number(rows[0]?.count);
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

describe('transactions of a wallet', () => {
  test.each([
    ['gift', 'newest'],
    ['reserved', 'newest'],
    ['reserved', 'oldest'],
  ] as const)('a page of the %s wallet, %s first, reads few transfers', async (wallet, order) => {
    let found = 0;
    const count = await rowsRead('ledger_transfers', async () => {
      const lines = await readWalletTransactions(database, {
        partnerId: grown.partner.id,
        wallets: [wallet],
        from: undefined,
        to: undefined,
        order,
        after: undefined,
        limit: 10,
      });
      found = lines.length;
    });
    expect(found).toBe(10);
    expect(count).toBeLessThan(FEW_ROWS);
  });
});

const firstPage: ListQuery = {
  page: 1,
  limit: 10,
  sortBy: [['id', 'DESC']],
  conditions: [],
  isUsual: true,
};

test("a second page of a merchant's redemptions counts only what is new", async () => {
  const readPage = () => readListPage(database, redemptionSource, grown.merchant.id, firstPage);
  const first = await readPage();
  expect(first.totalItems).toBeGreaterThan(VOUCHERS / 4);
  let total = 0;
  const count = await rowsRead('redemptions', async () => {
    total = (await readPage()).totalItems;
  });
  expect(total).toBe(first.totalItems);
  expect(count).toBeLessThan(FEW_ROWS);
});

describe('the number of all vouchers', () => {
  const readPage = () => readListPage(database, voucherSource, grown.partner.id, firstPage);
  const addOne = () =>
    addVoucher(
      database,
      {
        partnerId: grown.partner.id,
        merchantId: grown.merchant.id,
        denominationId: grown.partner.denominations[100],
      },
      { amount: '100' },
    );

  test('is exact, and counts only what is new', async () => {
    expect((await readPage()).totalItems).toBe(OWN_VOUCHERS);
    await addOne();
    let total = 0;
    const count = await rowsRead('vouchers', async () => {
      total = (await readPage()).totalItems;
    });
    expect(total).toBe(OWN_VOUCHERS + 1);
    expect(count).toBeLessThan(FEW_ROWS);
  });

  test('is counted once for all who ask first', async () => {
    const pool = connectDatabase(testDatabase.url, { poolSize: 5 });
    try {
      const pages = () =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            readListPage(pool, voucherSource, grown.partner.id, firstPage),
          ),
        );
      const count = await rowsRead('vouchers', async () => {
        const totals = (await pages()).map(({ totalItems }) => totalItems);
        expect(new Set(totals)).toEqual(new Set([OWN_VOUCHERS + 1]));
        await pool.destroy();
      });
      expect(count).toBeLessThan(2 * VOUCHERS);
    } finally {
      await pool.destroy();
    }
  });

  test('sees what was begun before the last count and committed after it', async () => {
    const before = (await readPage()).totalItems;
    const other = connectDatabase(testDatabase.url, { poolSize: 1 });
    try {
      const transaction = await other.startTransaction().execute();
      await sql`
        insert into vouchers (operation_id, partner_id, merchant_id, denomination_id, serial_number,
          code_digest, code_ciphertext, is_restricted, amount, remaining, expires_at,
          selling_price_usd)
        select 'late', partner_id, merchant_id, denomination_id, 'late', 'late', '', true, 100, 100,
          now() + interval '1 day', 1 from vouchers where id = 1`.execute(transaction);
      expect((await readPage()).totalItems).toBe(before);
      await transaction.commit().execute();
      expect((await readPage()).totalItems).toBe(before + 1);
    } finally {
      await other.destroy();
    }
  });

  test('with a filter is counted each time', async () => {
    const status = {
      column: 'status',
      operator: 'eq',
      isNegated: false,
      values: ['ACTIVE'],
    } as const;
    const query: ListQuery = { ...firstPage, conditions: [status], isUsual: false };
    const read = () => readListPage(database, voucherSource, grown.partner.id, query);
    const before = (await read()).totalItems;
    await sql`update vouchers set status = 'EXPIRED', returned = remaining, remaining = 0
      where id = (select max(id) from vouchers where status = 'ACTIVE'
        and partner_id = ${grown.partner.id})`.execute(database);
    expect((await read()).totalItems).toBe(before - 1);
  });
});
