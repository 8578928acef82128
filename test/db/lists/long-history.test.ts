import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GrownDatabase, growDatabase } from '../../../bench/growth/grown-database.js';
import { createDigests } from '../../../src/crypto/digests.js';
import { addDaySums } from '../../../src/db/books/day-sums.js';
import { connectDatabase, type Database } from '../../../src/db/connection.js';
import { readStatementPage, type StatementPage } from '../../../src/db/ledger/statement-page.js';
import { readWalletTransactions } from '../../../src/db/ledger/wallet-transactions.js';
import { readListPage } from '../../../src/db/lists/list-page.js';
import type { ListQuery } from '../../../src/db/lists/list-query.js';
import { payoutSource } from '../../../src/db/vouchers/lists/payout-days.js';
import { payoutsPerDay, redemptionSource } from '../../../src/db/vouchers/lists/redemption-list.js';
import { voucherSource } from '../../../src/db/vouchers/lists/voucher-list.js';
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

test("a page of a wallet's statement reads its lines and sums of days, however long the range", async () => {
  // Whatever was written so far is settled.
  await sql`update book_checkpoints set next_to = (select max(id) from ledger_transfers),
    next_xid = pg_snapshot_xmin(pg_current_snapshot()), next_at = now() - interval '1 hour'
    where source = 'day-sums'`.execute(database);
  await addDaySums(database, { endsAt: Number.POSITIVE_INFINITY });
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000);
  let found: StatementPage | undefined;
  const count = await rowsRead('ledger_transfers', async () => {
    found = await readStatementPage(
      database,
      { partnerId: grown.partner.id, wallet: 'gift', from: day(-365), before: day(1) },
      { limit: 10, offset: 20 },
    );
  });
  expect(found?.lineCount).toBeGreaterThan(OWN_VOUCHERS);
  expect(found?.lines).toHaveLength(10);
  expect(count).toBeLessThan(FEW_ROWS);
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

describe("a merchant's payouts by day", () => {
  const newestDays = (limit: number): ListQuery => ({
    ...firstPage,
    limit,
    sortBy: [['day', 'DESC']],
  });
  const readDays = (limit: number) =>
    readListPage(database, payoutSource, grown.merchant.id, newestDays(limit));
  /** All days with a payout by the grouping of the portal, newest first. */
  const allDays = async () => {
    const day = (offset: number) =>
      new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const days = { first: day(-60), last: day(1), zone: 'UTC' };
    const found = await payoutsPerDay(database, grown.merchant.id, days);
    return found
      .filter(({ payouts }) => Number(payouts) > 0)
      .map(({ day, payouts, paid, serviceFees }) => ({
        day,
        sums: { payouts: Number(payouts), paid, serviceFees },
      }))
      .toReversed();
  };

  test('a page reads the redemptions of its days, not those of the others', async () => {
    const days = await allDays();
    const ofTwoDays = days.slice(0, 2).reduce((total, { sums }) => total + sums.payouts, 0);
    let page: unknown;
    const count = await rowsRead('redemptions', async () => {
      page = await readDays(2);
    });
    expect(page).toEqual({ items: days.slice(0, 2), totalItems: days.length });
    // The index entry and the row of each; and of each other day an entry to find it, twice: once for the total.
    expect(count).toBeLessThan(2 * ofTwoDays + 4 * days.length + FEW_ROWS);
    expect(days.length).toBeGreaterThan(10);
  });

  test('a day whose payouts were all reversed is left out; a late success has no fee', async () => {
    const [newest, second] = await allDays();
    const ofDay = (day: string | undefined) => sql`merchant_id = ${grown.merchant.id}
      and (settled_at at time zone 'UTC')::date = ${day}::date`;
    await sql`update redemptions set reversed_at = now()
      where ${ofDay(newest?.day)}`.execute(database);
    await sql`update redemptions set status = 'VOIDED', contradicted_at = settled_at
      where id = (select max(id) from redemptions
        where ${ofDay(second?.day)})`.execute(database);
    const days = await allDays();
    expect(days[0]?.day).toBe(second?.day);
    expect(days[0]?.sums.payouts).toBe(second?.sums.payouts);
    expect(Number(days[0]?.sums.serviceFees)).toBeLessThan(Number(second?.sums.serviceFees));
    expect(await readDays(100)).toEqual({ items: days, totalItems: days.length });
  });

  test.each([[['payouts', 'DESC']], [['paid', 'ASC']], [['serviceFees', 'DESC']]] as const)(
    'are sorted and found by %s, too',
    async ([column, direction]) => {
      const days = await allDays();
      const value = (day: (typeof days)[number]) => Number(day.sums[column]);
      const least = [...days.map(value)].sort((one, other) => one - other)[days.length >> 1];
      const query: ListQuery = {
        ...firstPage,
        limit: 100,
        sortBy: [[column, direction]],
        conditions: [{ column, operator: 'gte', isNegated: false, values: [String(least)] }],
      };
      const page = await readListPage(database, payoutSource, grown.merchant.id, query);
      const sign = direction === 'ASC' ? 1 : -1;
      const expected = days.filter((day) => value(day) >= Number(least));
      expect(page.items.map(value)).toEqual(
        expected.map(value).sort((one, other) => sign * (one - other)),
      );
      expect(page.totalItems).toBe(expected.length);
    },
  );
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
