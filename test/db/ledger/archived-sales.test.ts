import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUp, restart } from '../../../src/db/books/rollup.ts';
import { hourSums, ledgerSums } from '../../../src/db/books/sums.ts';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import { archiveDays, restoreMonth } from '../../../src/db/ledger/archives.ts';
import { salesPerDay } from '../../../src/db/ledger/sales.ts';
import type { Month } from '../../../src/domain/statements.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { book } from './booked-moves.ts';
import { untilBooksAreChecked } from './checked-books.ts';

const ZONE = 'Africa/Addis_Ababa';

let sold: OpenDatabase;
let folder: string;
let partnerId: number;

/** Sales without vouchers, so that the days of the ledger have all of them. */
beforeAll(async () => {
  sold = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
  partnerId = await addPartner(sold.database, 'Sales');
  const times = sql`unnest(array[timestamptz '2025-01-05 23:30+00', '2025-02-11 00:30+00',
    '2025-02-11 10:10+00', '2025-04-10 10:10+00', '2025-04-20 10:10+00'])`;
  await book(
    sold.database,
    partnerId,
    [
      ['deposit', 'funding', 'airtime', 'deposit:airtime ', 300],
      ['hold', 'airtime', 'airtime-hold', 'delivered ', 70],
      ['post', 'airtime-hold', 'airtime-clearing', 'delivered ', 70],
      ['hold', 'airtime', 'airtime-hold', 'failed ', 30],
      ['void', 'airtime-hold', 'airtime', 'failed ', 30],
    ],
    times,
  );
  // An hour in which nothing was delivered.
  await book(
    sold.database,
    partnerId,
    [
      ['hold', 'airtime', 'airtime-hold', 'failed ', 30],
      ['void', 'airtime-hold', 'airtime', 'failed ', 30],
    ],
    sql`unnest(array[timestamptz '2025-02-11 15:00+00'])`,
  );
  await untilBooksAreChecked(sold.database);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await sold?.close();
});

const archiveSales = () => archiveDays(sold.database, { folder, before: '2025-04' as Month });

async function readSales() {
  const { database } = sold;
  return {
    days: (
      await Promise.all(
        ['UTC', ZONE].map((zone) =>
          salesPerDay(database, partnerId, { first: '2025-01-01', last: '2025-04-30', zone }),
        ),
      )
    ).map((days) =>
      days.filter(({ deliveredAtOnce, failedAtOnce }) => deliveredAtOnce + failedAtOnce > 0),
    ),
    hours: await database.selectFrom('sale_hour_sums').selectAll().orderBy('hour').execute(),
    faults: await hourSums.verify(database, { batchSize: 50, note: () => {} }),
  };
}

async function readAfterRestart() {
  await restart(sold.database, hourSums);
  await untilBooksAreChecked(sold.database);
  return await readSales();
}

test('sales by hour are compared with days of the ledger that are complete', async () => {
  await restart(sold.database, ledgerSums);
  expect((await readSales()).faults).toEqual([]);
  await untilBooksAreChecked(sold.database);
  expect((await readSales()).faults).toEqual([]);
});

test('sales by hour stay when the hours are added up again, until their transfers are back', async () => {
  const before = await readSales();
  expect(before.faults).toEqual([]);
  expect(before.hours).toHaveLength(6);
  expect(before.days[0]?.[1]).toMatchObject({
    day: '2025-02-11',
    topups: 2,
    topupAmount: '140.000000',
    deliveredAtOnce: 2,
    failedAtOnce: 3,
  });
  expect(await archiveSales()).toBeGreaterThan(0);
  expect(await readAfterRestart()).toEqual(before);
  // The rows are read again where they are back, so that a restored month mends its sums.
  await restoreMonth(sold.database, '2025-02' as Month);
  await sql`update sale_hour_sums set amount = amount + 1
    where hour = '2025-02-11 10:00+00'`.execute(sold.database);
  expect((await readSales()).faults).toHaveLength(1);
  expect(await readAfterRestart()).toEqual(before);
});

test('sales by hour are added up before a day is archived', async () => {
  const before = await readSales();
  await restoreMonth(sold.database, '2025-01' as Month);
  await sql`update ledger_archives set restored_at = now() - interval '31 days'
    where restored_at is not null`.execute(sold.database);
  await restart(sold.database, hourSums);
  expect(await archiveSales()).toBe(0);
  await addUp(sold.database, hourSums);
  expect(await archiveSales()).toBeGreaterThan(0);
  expect(await readSales()).toEqual(before);
  expect(await readAfterRestart()).toEqual(before);
});
