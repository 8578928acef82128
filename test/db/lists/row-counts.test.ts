import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUp, restart } from '../../../src/db/books/rollup.ts';
import { rowCounts } from '../../../src/db/books/sums.ts';
import { connectDatabase } from '../../../src/db/connection.ts';
import type { List } from '../../../src/db/lists/list.ts';
import { readListPage } from '../../../src/db/lists/list-page.ts';
import { redemptionList } from '../../../src/db/lists/redemptions.ts';
import { topupList } from '../../../src/db/lists/topups.ts';
import { voucherList } from '../../../src/db/lists/vouchers.ts';
import { dropRequest } from '../../../src/db/topups/requests.ts';
import { addVoucher } from '../../support/vouchers.ts';
import { openGrownScene } from '../grown-scene.ts';
import { firstPage } from './first-page.ts';

const VOUCHERS = 9_000;
/** Those of the hours that are not counted yet, and a page. */
const FEW_ROWS = 200;

let scene: Awaited<ReturnType<typeof openGrownScene>>;
beforeAll(async () => {
  scene = await openGrownScene(VOUCHERS);
  const { database, grown } = scene;
  // Failed ones, older than the first transfer.
  await sql`
    insert into topups (operation_id, workflow_id, request_digest, partner_id, kind, amount, msisdn,
      status, exchange_rate, currency, originating_country, created_at)
    select 'counted-' || hour, 'counted-' || hour, 'counted', ${grown.partner.id}, 'AIRTIME', 50, 'hash.masked.1.box',
      'FAILED', '1', 'USD', 'US', now() - make_interval(hours => hour)
    from generate_series(1, 20000) as hour`.execute(database);
  await sql`analyze topups`.execute(database);
  // Nothing is counted yet.
  await restart(database, rowCounts);
});
afterAll(() => scene?.close());

const lists: readonly (readonly [List<object>, 'partner' | 'merchant'])[] = [
  [voucherList, 'partner'],
  [topupList, 'partner'],
  [redemptionList, 'merchant'],
];

/** The first page that a process reads, and how many rows of the list it reads for it. */
async function readFirst(list: List<object>, companyId: number) {
  let totalItems = 0;
  const rows = await scene.rowsRead(list.name, async () => {
    const process = connectDatabase(scene.url, { poolSize: 1 });
    ({ totalItems } = await readListPage(process, list, companyId, firstPage));
    await process.destroy();
  });
  return { totalItems, rows };
}

/** The rows that the first pages of processes read, by list; each page tells the number of all rows. */
async function rowsOfExactPages(): Promise<number[]> {
  const { database, grown } = scene;
  const read: number[] = [];
  for (const [list, kind] of lists) {
    const companyId = grown[kind].id;
    const { rows } = await sql<{ total: number }>`
      select count(1) as total from ${list.from(companyId)}
      where ${list.where(companyId)}`.execute(database);
    const page = await readFirst(list, companyId);
    expect(page.totalItems, list.name).toBe(rows[0]?.total);
    expect(page.totalItems, list.name).toBeGreaterThan(5 * FEW_ROWS);
    read.push(page.rows);
  }
  return read;
}

const broken = () => rowCounts.verify(scene.database, { batchSize: 1_000, note: () => {} });

test('the first page of a process is exact and counts only new rows, whatever the check has counted', async () => {
  await rowsOfExactPages();
  await addUp(scene.database, rowCounts, { endsAt: Date.now() - 1 });
  expect(await scene.database.selectFrom('row_counts').selectAll().execute()).toEqual([]);
  await addUp(scene.database, rowCounts);
  await addUp(scene.database, rowCounts);
  for (const rows of await rowsOfExactPages()) expect(rows).toBeLessThan(FEW_ROWS);
  expect(await broken()).toEqual([]);
});

test('the check of the books finds a wrong count and a row with an older date; all is counted anew', async () => {
  const { database, grown } = scene;
  const { partner, merchant } = grown;
  const denominationId = partner.denominations[100];
  const companies = { partnerId: partner.id, merchantId: merchant.id, denominationId };
  await addVoucher(database, companies, { amount: '100' });
  await sql`update vouchers set created_at = created_at - interval '1 day'
    where id = (select max(id) from vouchers)`.execute(database);
  await sql`update row_counts set total = total + 1
    where list = 'redemptions' and company_id = ${merchant.id}`.execute(database);
  expect(await broken()).toEqual([
    `I2 the kept count of a list is that of its rows: vouchers of company ${partner.id}`,
    `I2 the kept count of a list is that of its rows: redemptions of company ${merchant.id}`,
  ]);
  await restart(database, rowCounts);
  await rowsOfExactPages();
  await addUp(database, rowCounts);
  expect(await broken()).toEqual([]);
  await rowsOfExactPages();
});

test('a top-up is counted for good once it has begun: a refused one is deleted', async () => {
  const { database, grown } = scene;
  const { id: partnerId } = grown.partner;
  // The workers are away for three hours.
  await sql`
    insert into topups (operation_id, workflow_id, request_digest, partner_id, kind, amount, msisdn,
      exchange_rate, currency, originating_country, created_at)
    values ('unbegun', 'unbegun', 'counted', ${partnerId}, 'AIRTIME', 50, 'hash.masked.1.box',
      '1', 'USD', 'US', now() - interval '3 hours')`.execute(database);
  await restart(database, rowCounts);
  await addUp(database, rowCounts);
  const process = connectDatabase(scene.url, { poolSize: 1 });
  const total = async () =>
    (await readListPage(process, topupList, partnerId, firstPage)).totalItems;
  const before = await total();
  await database.transaction().execute((transaction) => dropRequest(transaction, 'unbegun'));
  expect(await total()).toBe(before - 1);
  expect(await broken()).toEqual([]);
  await addUp(database, rowCounts);
  expect(await broken()).toEqual([]);
  await process.destroy();
  await rowsOfExactPages();
});
