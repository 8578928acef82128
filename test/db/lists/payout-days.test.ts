import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GrownDatabase } from '../../../bench/growth/grown-database.ts';
import { addUp, restart } from '../../../src/db/books/rollup.ts';
import { hourSums, ledgerSums } from '../../../src/db/books/sums.ts';
import type { Database } from '../../../src/db/connection.ts';
import { readMargins, salesPerDay } from '../../../src/db/ledger/sales.ts';
import { type ListQuery, readListPage } from '../../../src/db/lists/list-page.ts';
import { type DayOfPayouts, payoutList, payoutsPerDay } from '../../../src/db/lists/redemptions.ts';
import { openGrownScene } from '../grown-scene.ts';

const VOUCHERS = 9_000;
/** Those of two hours that are not summed up, and a few. */
const FEW_ROWS = 400;

let scene: Awaited<ReturnType<typeof openGrownScene>>;
let database: Database;
let grown: GrownDatabase;
let rowsRead: (typeof scene)['rowsRead'];

beforeAll(async () => {
  scene = await openGrownScene(VOUCHERS);
  ({ database, grown, rowsRead } = scene);
});
afterAll(() => scene?.close());

const dayFromNow = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

const sales = (zone: string) =>
  salesPerDay(database, grown.partner.id, {
    first: dayFromNow(-40),
    last: dayFromNow(1),
    zone,
  });

/** The partner's days with vouchers by their rows alone. */
async function salesByRows(zone: string) {
  const { rows } = await sql`
    select to_char(created_at at time zone ${zone}::text, 'YYYY-MM-DD') as day, count(1) as vouchers,
      sum(amount)::numeric(20, 6) as "voucherAmount", 0::bigint as topups,
      0::numeric(20, 6) as "topupAmount", 0::bigint as "deliveredAtOnce",
      0::bigint as "failedAtOnce"
    from vouchers where partner_id = ${grown.partner.id}
    group by 1 order by 1`.execute(database);
  return rows;
}

const inPortal = (zone: string) =>
  payoutsPerDay(database, grown.merchant.id, {
    first: dayFromNow(-40),
    last: dayFromNow(1),
    zone,
  });

/** The days with a payout by the rows alone, newest first. */
async function byRows(zone = 'UTC'): Promise<DayOfPayouts[]> {
  const { rows } = await sql<DayOfPayouts>`
    select to_char(case when status = 'POSTED' then settled_at else changed_at end
        at time zone ${zone}::text, 'YYYY-MM-DD') as day, count(1) as payouts, sum(to_merchant) as paid,
      coalesce(sum(service_fee) filter (where status = 'POSTED'), 0)::numeric(20, 6) as "serviceFees"
    from redemptions
    where merchant_id = ${grown.merchant.id} and is_done
    group by 1 order by 1 desc`.execute(database);
  return rows;
}

const withPayouts = (days: readonly DayOfPayouts[]) =>
  days.filter(({ payouts }) => payouts > 0).toReversed();

const inList = (days: readonly DayOfPayouts[]) =>
  days.map(({ day, payouts, paid, serviceFees }) => ({
    day,
    sums: { payouts: Number(payouts), paid, serviceFees },
  }));

const newestDays = (limit: number): ListQuery => ({
  page: 1,
  limit,
  sortBy: [['day', 'DESC']],
  conditions: [],
  isUsual: true,
});
const readDays = (query: ListQuery) => readListPage(database, payoutList, grown.merchant.id, query);

/** Both lists agree with the rows, in zones whose days begin with an hour of UTC and within one. */
async function expectAgreement(): Promise<void> {
  for (const zone of ['UTC', 'Africa/Addis_Ababa', 'Asia/Kolkata'])
    expect(withPayouts(await inPortal(zone)), zone).toEqual(await byRows(zone));
  const days = inList(await byRows());
  expect(await readDays(newestDays(100))).toMatchObject({ items: days, totalItems: days.length });
  for (const zone of ['UTC', 'Asia/Kolkata'])
    expect(
      (await sales(zone)).filter(({ vouchers }) => vouchers > 0),
      zone,
    ).toEqual(await salesByRows(zone));
}

/** No hour is summed up. */
const forgetHours = () => restart(database, hourSums);

/** The faults that the check of the books finds. */
const broken = () => hourSums.verify(database, { batchSize: 1_000, note: () => {} });

test('days are the same whatever part of the hours is summed up', async () => {
  await forgetHours();
  await expectAgreement();
  expect((await byRows()).length).toBeGreaterThan(10);
  await addUp(database, hourSums);
  await expectAgreement();
  await sql`update book_checkpoints set checked_to = checked_to - 100
    where source = 'hour-sums'`.execute(database);
  await expectAgreement();
  await addUp(database, hourSums);
  const { rows } = await sql<{ behind: number }>`
    select (extract(epoch from now()) / 3600 - checked_to)::float8 as behind
    from book_checkpoints where source = 'hour-sums'`.execute(database);
  expect(rows[0]?.behind).toBeLessThan(1.5);
  await expectAgreement();
});

test('a time that is up leaves the rest to the next check', async () => {
  await forgetHours();
  await addUp(database, hourSums, { endsAt: Date.now() - 1 });
  expect(await database.selectFrom('payout_hour_sums').selectAll().execute()).toEqual([]);
  await addUp(database, hourSums);
  await expectAgreement();
});

test('hours without a checkpoint are not added up, because they would be again each time', async () => {
  const sums = database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('book_checkpoints').where('source', '=', 'hour-sums').execute();
    return await addUp(transaction, hourSums);
  });
  await expect(sums).rejects.toThrow('No checkpoint of hour-sums');
});

test('days read sums of hours, not the redemptions of these days', async () => {
  const all = (await byRows()).reduce((sum, { payouts }) => sum + payouts, 0);
  expect(all).toBeGreaterThan(10 * FEW_ROWS);
  expect(await rowsRead('redemptions', () => inPortal('Africa/Addis_Ababa'))).toBeLessThan(
    FEW_ROWS,
  );
  const page = () => readDays(newestDays(100));
  expect(await rowsRead('redemptions', page)).toBeLessThan(FEW_ROWS);
  expect(await rowsRead('ledger_transfers', () => sales('UTC'))).toBeLessThan(FEW_ROWS);
});

test('what was reversed is left out; a late success has no fee, also where it is taken back', async () => {
  const [newest, second, third] = await byRows();
  const ofDay = (day: string | undefined) => sql`merchant_id = ${grown.merchant.id}
    and (settled_at at time zone 'UTC')::date = ${day}::date`;
  await sql`update redemptions set is_done = false, changed_at = now()
    where ${ofDay(second?.day)}`.execute(database);
  await expectAgreement();
  expect((await byRows()).map(({ day }) => day)).not.toContain(second?.day);
  const late = sql`id = (select max(id) from redemptions where ${ofDay(third?.day)})`;
  // A row of the day that was refused, and paid at its end.
  await forgetHours();
  await sql`update redemptions set status = 'VOIDED', is_done = true, changed_at = settled_at
    where ${late}`.execute(database);
  await addUp(database, hourSums);
  await expectAgreement();
  expect((await byRows())[0]?.day).toBe(newest?.day);
  const days = await byRows();
  const changed = days.find(({ day }) => day === third?.day);
  expect(changed?.payouts).toBe(third?.payouts);
  expect(Number(changed?.serviceFees)).toBeLessThan(Number(third?.serviceFees));
  await sql`update redemptions set is_done = false where ${late}`.execute(database);
  await expectAgreement();
});

/** What became of the attempts of a top-up, each a day after the one before. */
type Ends = readonly (readonly [status: 'POSTED' | 'VOIDED', isDone: boolean, charged: boolean])[];

/** Writes a top-up of ETB 10 whose first attempt ended twelve days ago; a changed attempt changed a day later. */
async function topup(ends: Ends): Promise<void> {
  const partner = grown.partner.id;
  const { rows } = await sql<{ id: number }>`
    insert into topups (operation_id, workflow_id, request_digest, partner_id, kind, amount, msisdn,
      status, attempt, exchange_rate, currency, originating_country, foreign_currency_amount)
    values (gen_random_uuid(), 'none', 'none', ${partner}, 'AIRTIME', 10, 'erased', 'FAILED',
      ${ends.length}, '50', 'USD', 'US', '0.25') returning id`.execute(database);
  const id = rows[0]?.id ?? 0;
  for (const [place, [status, isDone, charged]] of ends.entries()) {
    const at = sql`now() - make_interval(days => ${12 - place})`;
    const operation = `attempt ${id} ${place}`;
    await sql`
      insert into topup_attempts (topup_id, attempt, operation_id, reference, created_at, settled_at,
        msisdn, status, is_done, changed_at, charged)
      values (${id}, ${place + 1}, ${operation}, ${operation}, ${at}, ${at}, 'erased', ${status},
        ${isDone}, ${at} + interval '1 day', ${charged})`.execute(database);
    await sql`
      insert into placements (kind, reference, provider, operation_id, ordered, placed_at)
      values ('top-up', ${operation}, 'dt-one', ${operation}, 10, ${at})`.execute(database);
    for (const [step, debit, credit] of [
      ['deposit', 'funding', 'airtime'],
      ['hold', 'airtime', 'airtime-hold'],
      ['end', 'airtime-hold', status === 'POSTED' ? 'airtime-clearing' : 'airtime'],
    ])
      await sql`
        insert into ledger_transfers (created_at, operation_id, step, debit_account_id,
          credit_account_id, amount)
        select ${at}, ${operation}, ${step}, debit.id, credit.id, 10
        from ledger_accounts as debit, ledger_accounts as credit
        where debit.kind = ${debit} and coalesce(debit.partner_id, ${partner}) = ${partner}
          and credit.kind = ${credit} and coalesce(credit.partner_id, ${partner}) = ${partner}`.execute(
        database,
      );
  }
}

test.each<[string, Ends, Record<number, number>, number]>([
  ['delivered at once', [['POSTED', true, true]], { 12: 1 }, 1],
  ['not delivered', [['VOIDED', false, false]], {}, 0],
  ['delivered late, and borne by the service', [['VOIDED', true, false]], { 11: 1 }, 0],
  ['delivered late, and charged', [['VOIDED', true, true]], { 11: 1 }, 1],
  ['taken back, and not settled', [['POSTED', false, true]], { 12: 1 }, 1],
  ['taken back', [['POSTED', false, false]], {}, 0],
  [
    'delivered by a retry',
    [
      ['VOIDED', false, false],
      ['POSTED', true, true],
    ],
    { 11: 1 },
    1,
  ],
  [
    'delivered by both',
    [
      ['VOIDED', true, false],
      ['POSTED', true, true],
    ],
    { 11: 1 },
    1,
  ],
  [
    'delivered late by both',
    [
      ['VOIDED', true, true],
      ['VOIDED', true, true],
    ],
    { 11: 1 },
    1,
  ],
  [
    'taken back and sent again',
    [
      ['POSTED', false, false],
      ['POSTED', true, true],
    ],
    { 11: 1 },
    1,
  ],
])('a top-up that was %s is a sale of its day, summed up or not', async (...row) => {
  const [, ends, expected, priced] = row;
  const days = { first: dayFromNow(-20), last: dayFromNow(0), zone: 'UTC' };
  const read = async () => {
    const perDay = await salesPerDay(database, grown.partner.id, days);
    const margin = (await readMargins(database, grown.partner.id, days)).find(
      ({ kind }) => kind === 'topups',
    );
    return {
      perDay: perDay.map(({ topups, topupAmount }) => [topups, Number(topupAmount)] as const),
      sales: margin?.sales ?? 0,
      counted: margin?.counted ?? 0,
      earned: Number(margin?.marginEtb ?? 0),
    };
  };
  await forgetHours();
  const before = await read();
  await topup(ends);
  const added = (offset: number) => expected[20 - offset] ?? 0;
  const after = {
    perDay: before.perDay.map(([topups, amount], place) => [
      topups + added(place),
      amount + 10 * added(place),
    ]),
    sales: before.sales + Object.keys(expected).length,
    counted: before.counted + priced,
    // 0.25 USD at 50 are ETB 12.50 for 10.
    earned: before.earned + 2.5 * priced,
  };
  expect(await read()).toEqual(after);
  await addUp(database, hourSums);
  expect(await read()).toEqual(after);
});

test.each([[['payouts', 'DESC']], [['paid', 'ASC']], [['serviceFees', 'DESC']]] as const)(
  'days are sorted and found by %s, too',
  async ([column, direction]) => {
    const days = inList(await byRows());
    const value = (day: (typeof days)[number]) => Number(day.sums[column]);
    const least = [...days.map(value)].sort((one, other) => one - other)[days.length >> 1];
    const page = await readDays({
      ...newestDays(100),
      sortBy: [[column, direction]],
      conditions: [{ column, operator: 'gte', isNegated: false, values: [String(least)] }],
    });
    const sign = direction === 'ASC' ? 1 : -1;
    const expected = days.filter((day) => value(day) >= Number(least)).map(value);
    expect(page.items.map(value)).toEqual(expected.sort((one, other) => sign * (one - other)));
    expect(page.totalItems).toBe(expected.length);
  },
);

test('the check of the books compares the hours with the transfers', async () => {
  await sql`update redemptions set status = 'POSTED', is_done = true, changed_at = null
    where status = 'VOIDED' and changed_at = settled_at`.execute(database);
  await forgetHours();
  await addUp(database, hourSums);
  await sql`update book_checkpoints set next_to = (select max(id) from ledger_transfers),
    next_xid = pg_snapshot_xmin(pg_current_snapshot()), next_at = now() - interval '1 hour'
    where source = 'ledger-sums'`.execute(database);
  await addUp(database, ledgerSums);
  expect(await broken()).toEqual([]);
  await sql`update payout_hour_sums set paid = paid + 1
    where hour = (select min(hour) from payout_hour_sums)`.execute(database);
  await expectOneFault();
  await sql`update payout_hour_sums set paid = paid - 1
    where hour = (select min(hour) from payout_hour_sums)`.execute(database);
  expect(await broken()).toEqual([]);
  await sql`update sale_hour_sums set amount = amount + 1
    where hour = (select min(hour) from sale_hour_sums)`.execute(database);
  await expectOneFault();
});

const expectOneFault = async () =>
  expect(await broken()).toEqual([
    expect.stringMatching(
      /^I2 the hourly sums of sales and payouts are the ledger's: \d{4}-\d\d-\d\d$/,
    ),
  ]);
