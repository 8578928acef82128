import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GrownDatabase } from '../../../bench/growth/grown-database.ts';
import { addUp } from '../../../src/db/books/rollup.ts';
import { ledgerSums } from '../../../src/db/books/sums.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import {
  readStatementPage,
  readWalletTransactions,
  type StatementPage,
} from '../../../src/db/ledger/account-statements.ts';
import { type ListQuery, readListPage } from '../../../src/db/lists/list-page.ts';
import { redemptionList } from '../../../src/db/lists/redemptions.ts';
import { voucherList } from '../../../src/db/lists/vouchers.ts';
import { addVoucher } from '../../support/vouchers.ts';
import { openGrownScene } from '../grown-scene.ts';
import { firstPage } from './first-page.ts';

const VOUCHERS = 9_000;
const OWN_VOUCHERS = VOUCHERS * 0.9;
/** Far fewer than the partner has, and more than a page with what surrounds it. */
const FEW_ROWS = 200;

let scene: Awaited<ReturnType<typeof openGrownScene>>;
let database: Database;
let grown: GrownDatabase;
let rowsRead: (typeof scene)['rowsRead'];

beforeAll(async () => {
  scene = await openGrownScene(VOUCHERS);
  ({ database, grown, rowsRead } = scene);
});
afterAll(() => scene?.close());

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
    where source = 'ledger-sums'`.execute(database);
  await addUp(database, ledgerSums);
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

test("a second page of a merchant's redemptions counts only what is new", async () => {
  const readPage = () => readListPage(database, redemptionList, grown.merchant.id, firstPage);
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
  const readPage = () => readListPage(database, voucherList, grown.partner.id, firstPage);
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

  test('costs all who ask first no more', async () => {
    const pool = connectDatabase(scene.url, { poolSize: 5 });
    try {
      const pages = () =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            readListPage(pool, voucherList, grown.partner.id, firstPage),
          ),
        );
      const count = await rowsRead('vouchers', async () => {
        const totals = (await pages()).map(({ totalItems }) => totalItems);
        expect(new Set(totals)).toEqual(new Set([OWN_VOUCHERS + 1]));
        await pool.destroy();
      });
      expect(count).toBeLessThan(5 * FEW_ROWS);
    } finally {
      await pool.destroy();
    }
  });

  test('sees what was begun before the last count and committed after it', async () => {
    const before = (await readPage()).totalItems;
    const other = connectDatabase(scene.url, { poolSize: 1 });
    try {
      const transaction = await other.startTransaction().execute();
      await sql`
        insert into vouchers (operation_id, request_digest, partner_id, merchant_id, denomination_id,
          serial_number, code_digest, code_ciphertext, is_restricted, amount, remaining, expires_at,
          selling_price_usd)
        select 'late', 'late', partner_id, merchant_id, denomination_id, 'late', 'late', '', true, 100, 100,
          now() + interval '1 day', 1 from vouchers where id = 1`.execute(transaction);
      expect((await readPage()).totalItems).toBe(before);
      await transaction.commit().execute();
      expect((await readPage()).totalItems).toBe(before + 1);
    } finally {
      await other.destroy();
    }
  });

  test('with a filter is counted up to a thousand for people, and one more than the page', async () => {
    const query: ListQuery = {
      ...firstPage,
      conditions: [{ column: 'amount', operator: 'gt', isNegated: false, values: ['1'] }],
      isUsual: false,
      isCountBounded: true,
    };
    const read = (page: number) =>
      readListPage(database, voucherList, grown.partner.id, { ...query, page });
    expect(await read(1)).toMatchObject({ totalItems: 1_000, isAtLeast: true });
    expect(await read(150)).toMatchObject({ totalItems: 1_501, isAtLeast: true });
    expect(await rowsRead('vouchers', () => read(1))).toBeLessThan(2 * 1_000 + FEW_ROWS);
    const none = { ...query, conditions: [{ ...query.conditions[0], values: ['10000'] }] };
    expect(
      await readListPage(database, voucherList, grown.partner.id, none as ListQuery),
    ).toMatchObject({ totalItems: 0, isAtLeast: false });
  });

  test('with a filter is counted each time', async () => {
    const status = {
      column: 'status',
      operator: 'eq',
      isNegated: false,
      values: ['ACTIVE'],
    } as const;
    const query: ListQuery = { ...firstPage, conditions: [status], isUsual: false };
    const read = () => readListPage(database, voucherList, grown.partner.id, query);
    const before = (await read()).totalItems;
    await sql`update vouchers set status = 'EXPIRED', returned = remaining, remaining = 0
      where id = (select max(id) from vouchers where status = 'ACTIVE'
        and partner_id = ${grown.partner.id})`.execute(database);
    expect((await read()).totalItems).toBe(before - 1);
  });
});
