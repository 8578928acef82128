import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUp as addUpSums } from '../../../src/db/books/rollup.ts';
import { ledgerSums } from '../../../src/db/books/sums.ts';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import type { Transfer } from '../../../src/db/ledger/ledger.ts';
import { readPartnerMonth } from '../../../src/db/ledger/monthly-statements.ts';
import { type Month, monthsBetween } from '../../../src/domain/statements.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

const ZONES = ['UTC', 'Africa/Addis_Ababa', 'America/New_York', 'Asia/Kathmandu'];
const MONTHS = monthsBetween('2026-03' as Month, '2026-06' as Month);
const TRANSFERS = 600;
/** Of the first moves, so that no account is overdrawn later. */
const FIRST_AMOUNTS = [9_000, 9_000, 6_000, 3_000, 1, 1, 1, 1, 3_000];

let open: OpenDatabase;
let partnerId: number;

type Move = readonly [debit: Transfer['debit'], credit: Transfer['credit'], operation: string];
const moves: readonly Move[] = [
  ['funding', 'gift', 'deposit:'],
  ['funding', 'airtime', 'deposit:'],
  ['gift', 'reserved', ''],
  ['reserved', 'gift-hold', ''],
  ['gift-hold', 'mobile-money-clearing', ''],
  ['gift-hold', 'service-fees', ''],
  ['reserved', 'gift', 'expire-voucher:'],
  ['reserved', 'gift', 'cancel-voucher:'],
  ['airtime', 'airtime-hold', ''],
  ['airtime-hold', 'airtime-clearing', ''],
];

/** Moments around the borders of days and months of all zones, and others, in their order. */
function moments(): string[] {
  const borders = ['2026-04-01', '2026-05-01', '2026-06-01'].flatMap((day) =>
    ['00:00+00', '00:00+03', '00:00-04', '00:00+05:45', '18:15+00', '23:59:59.999999+03'].map(
      (time) => `${day} ${time}`,
    ),
  );
  const spread = Array.from({ length: TRANSFERS - borders.length }, (_, index) =>
    new Date(Date.UTC(2026, 2, 20) + index * 11_600_000).toISOString(),
  );
  return [...borders, ...spread].toSorted((one, other) => Date.parse(one) - Date.parse(other));
}

beforeAll(async () => {
  open = await openDatabase();
  const { database } = open;
  partnerId = await addPartner(database, 'Partner');
  const rows = moments().map((at, index) => {
    // Money comes before it is spent.
    const amount = index < FIRST_AMOUNTS.length ? FIRST_AMOUNTS[index] : 1;
    const [debit, credit, operation] = moves[index % moves.length] as Move;
    return { at, debit, credit, operation: `${operation}${randomUUID()}`, amount };
  });
  const { rows: accounts } = await sql<{ kind: string; id: number }>`
    select kind, id from ledger_accounts where partner_id is null or partner_id = ${partnerId}
  `.execute(database);
  const idOf = (kind: string) => accounts.find((one) => one.kind === kind)?.id ?? 0;
  for (const { at, debit, credit, operation, amount } of rows)
    await sql`
      insert into ledger_transfers (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
      values (${at}, ${operation}, 'move', ${idOf(debit)}, ${idOf(credit)}, ${amount})
    `.execute(database);
});
// What is reserved here belongs to no voucher, and what is on hold to no operation.
afterAll(() => open?.close(['I4']));

const statements = () =>
  Promise.all(
    ZONES.flatMap((zone) =>
      MONTHS.map((month) => readPartnerMonth(open.database, partnerId, { month, zone })),
    ),
  );

const verify = () => ledgerSums.verify(open.database, { batchSize: 100, note: () => {} });

/** Adds the transfers up to a share of all to the daily sums. */
async function addUp(share: number): Promise<void> {
  await sql`
    update book_checkpoints set next_to = (select round(max(id) * ${share}::numeric) from ledger_transfers)
    where source = 'ledger-sums'`.execute(open.database);
  await addUpSums(open.database, ledgerSums, { settleSeconds: 0 });
}

test('a statement is the same whatever part of the transfers the daily sums contain', async () => {
  const byTransfers = await statements();
  const lines = byTransfers.flatMap(({ sections }) => sections.flatMap((section) => section.lines));
  expect(lines.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(
    ZONES.length * TRANSFERS,
  );
  for (const share of [0.1, 0.33, 0.5, 0.9, 1]) {
    await addUp(share);
    expect(await statements(), `${share} of the transfers`).toEqual(byTransfers);
  }
  const { rows } = await sql<{ count: number }>`
    select sum(count)::int as count from ledger_day_sums`.execute(open.database);
  expect(rows).toEqual([{ count: TRANSFERS }]);
});

test('whole days come from the sums alone, and the check of the books compares them with the balances', async () => {
  await addUp(1);
  expect(await verify()).toEqual([]);
  const closingOf = async () => {
    const month = { month: '2026-04' as Month, zone: 'UTC' };
    const { sections } = await readPartnerMonth(open.database, partnerId, month);
    return sections.find(({ title }) => title === 'Airtime wallet')?.lines;
  };
  const before = await closingOf();
  const scale = (by: number) =>
    sql`update ledger_day_sums set amount = amount * ${by}::numeric`.execute(open.database);
  await scale(2);
  expect(await closingOf()).not.toEqual(before);
  expect(await verify()).toContain(
    `I2 the daily sums of an account are its balance: airtime of partner ${partnerId}`,
  );
  await scale(0.5);
});

test('goodwill is no redemption that was taken back', async () => {
  await sql`
    insert into ledger_transfers (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
    select '2026-05-10', ${randomUUID()}, 'goodwill', fees.id, gift.id, 7
    from ledger_accounts as fees, ledger_accounts as gift
    where fees.kind = 'service-fees' and gift.kind = 'gift' and gift.partner_id = ${partnerId}`.execute(
    open.database,
  );
  const month = { month: '2026-05' as Month, zone: 'UTC' };
  const { sections } = await readPartnerMonth(open.database, partnerId, month);
  const gift = sections.find(({ title }) => title === 'Gift wallet');
  expect(gift?.lines).toContainEqual({ label: 'Other', count: 1, amount: '7.000000' });
});
