import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restart } from '../../../../src/db/books/rollup.ts';
import { allSums } from '../../../../src/db/books/sums.ts';
import { connectDatabase } from '../../../../src/db/connection.ts';
import { addTransfers, partnerBalances } from '../../../../src/db/ledger/ledger.ts';
import {
  readMerchantMonth,
  readPartnerMonth,
} from '../../../../src/db/ledger/monthly-statements.ts';
import { localText } from '../../../../src/domain/local-time.ts';
import { parseMoney } from '../../../../src/domain/money.ts';
import {
  CLOSED_AFTER_HOURS,
  isEmptyStatement,
  lastClosedMonth,
  type Month,
  monthsBetween,
} from '../../../../src/domain/statements.ts';
import { transferOf } from '../../../db/ledger-writing.ts';
import { done, repeated } from '../../../end-to-end/gift/gift-scene.ts';
import { merchantClient } from '../../../support/clients.ts';
import { type BusinessScene, setBusinessScene } from '../journeys/business-scene.ts';
import type { PortalClient } from '../portal-client.ts';

const ZONE = 'Africa/Addis_Ababa';

let scene: BusinessScene;
let month: Month;
let before: Month;

beforeAll(async () => {
  scene = await setBusinessScene();
  month = lastClosedMonth(new Date(), ZONE);
  [, before = month] = monthsBetween('2000-01' as Month, month);
  await movedInto(month);
});
afterAll(() => scene?.stop());

/** Dates everything into a month, from its first moment to its last one in the zone. */
const movedInto = (wanted: Month) =>
  scene.stack.database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`
      update ledger_transfers as moved set created_at = case
          when moved.id = last.id then (${`${wanted}-01`}::timestamp + interval '1 month') at time zone ${ZONE}
            - interval '1 microsecond'
          else ${`${wanted}-01`}::timestamp at time zone ${ZONE} end
      from (select max(id) as id from ledger_transfers) as last`.execute(transaction);
    await sql`update redemptions set
        created_at = ${`${wanted}-01`}::timestamp at time zone ${ZONE},
        settled_at = settled_at - now() + ${`${wanted}-02`}::timestamp at time zone ${ZONE}
      where settled_at is not null`.execute(transaction);
    for (const sums of allSums) await restart(transaction, sums);
  });

const rowsOf = async (client: PortalClient, wanted: Month): Promise<string[][]> => {
  const { status, html } = await client.get(`/portal/statements/${wanted}/csv`);
  expect(status).toBe(200);
  return parse(html, { bom: true }).slice(1);
};

const sumOf = (rows: readonly string[][], account: string, ...labels: readonly string[]) =>
  rows
    .filter(([title, label = '']) => title === account && labels.includes(label))
    .reduce((sum, [, , , amount = '0']) => sum + parseMoney(amount), 0n);

test("a partner's statement begins and ends with the ledger's balances, and adds up", async () => {
  const rows = await rowsOf(scene.asPerson, month);
  const balances = await partnerBalances(scene.stack.database, scene.partner.id);
  const accounts = {
    'Gift wallet': balances.gift,
    'Airtime wallet': balances.airtime,
    'Unused vouchers': balances.reserved,
    'Top-ups under way': '0',
  };
  for (const [account, balance] of Object.entries(accounts)) {
    const lines = rows.filter(([title]) => title === account);
    expect(sumOf(rows, account, 'Opening balance'), account).toBe(0n);
    expect(sumOf(rows, account, 'Closing balance'), account).toBe(parseMoney(balance));
    const moved = lines
      .map(([, label = '']) => label)
      .filter((label) => !label.endsWith('balance'));
    expect(moved.length, account).toBeGreaterThan(0);
    expect(sumOf(rows, account, ...moved), account).toBe(parseMoney(balance));
  }
  const labels = rows.map(([, label]) => label);
  for (const label of ['Deposits', 'Vouchers generated', 'Redemptions: service fees', 'Delivered'])
    expect(labels).toContain(label);
});

test("what comes later changes no closed month, and a month's end is the beginning of a later one", async () => {
  const { partner, stack } = scene;
  const read = (one: Month) =>
    readPartnerMonth(stack.database, partner.id, { month: one, zone: ZONE });
  const closed = await read(month);
  const running = runningMonth();
  await scene.gift({ merchant: scene.merchant });
  expect(await read(month)).toEqual(closed);
  const next = await read(running);
  expect(next.sections.map(({ title, opening }) => [title, opening])).toEqual(
    closed.sections.map(({ title, closing }) => [title, closing]),
  );
  expect(next.sections.some(({ lines }) => lines.length > 0)).toBe(true);
  expect(isEmptyStatement(await read(before))).toBe(true);
});

/** The month of today. In its first hours the month before it is not closed, and has no movement. */
const runningMonth = () => localText(new Date(), ZONE).slice(0, 7) as Month;

test('a merchant sees redemptions, fees and what it was paid', async () => {
  const rows = await rowsOf(scene.asMerchantPerson, month);
  const total = sumOf(rows, 'Paid to you', 'Total');
  expect(total).toBeGreaterThan(0n);
  expect(sumOf(rows, 'Paid to you', 'Redemptions', 'Service fees')).toBe(total);
  const { rows: paid } = await sql<{ sum: string }>`
    select sum(to_merchant) as sum from redemptions
    where merchant_id = ${scene.merchant.id} and status = 'POSTED'`.execute(scene.stack.database);
  expect(total).toBe(parseMoney(paid[0]?.sum ?? ''));

  const { database } = scene.stack;
  const [redemption] = await database
    .selectFrom('redemptions')
    .select(['id', 'operation_id'])
    .where('merchant_id', '=', scene.merchant.id)
    .where('status', '=', 'POSTED')
    .limit(1)
    .execute();
  await movedIn(month, redemption?.operation_id ?? '', 'mobile-money-clearing', 'suspense');
  await movedIn(month, redemption?.operation_id ?? '', 'suspense', 'mobile-money-clearing');
  const changed = await rowsOf(scene.asMerchantPerson, month);
  expect(sumOf(changed, 'Paid to you', 'Taken back by the provider')).toBe(-parseMoney('1'));
  expect(sumOf(changed, 'Paid to you', 'Paid after a refusal')).toBe(parseMoney('1'));
  expect(sumOf(changed, 'Paid to you', 'Total')).toBe(total);
});

test('a payment that its merchant reverses is in the month of the reversal, without the fee', async () => {
  const { database } = scene.stack;
  const client = await merchantClient(scene.stack, scene.merchant);
  const read = (wanted: Month) =>
    readMerchantMonth(database, scene.merchant.id, { month: wanted, zone: ZONE });
  const closed = await read(month);
  const gift = await scene.gift({ merchant: scene.merchant, denomination: 500 });
  await scene.redeemed(client, gift, { amount: 200 });
  const [paid] = done(await client.get('/redemptions')).body.data;
  const running = runningMonth();
  const before = await read(running);
  const reverse = () =>
    client.post(`/redemptions/${paid.id}/reverse`, { idempotencyKey: `reverse ${paid.id}` });
  await repeated(reverse, ({ body }) => body.statusCode === 4092);
  const [section] = (await read(running)).sections;
  expect(section?.lines.find(({ label }) => label === 'Reversed by you')).toEqual({
    label: 'Reversed by you',
    count: 1,
    amount: '-200.000000',
  });
  expect(parseMoney(section?.closing ?? '')).toBe(
    parseMoney(before.sections[0]?.closing ?? '') - parseMoney('200'),
  );
  expect(await read(month)).toEqual(closed);
});

test('a transfer is of the month when its transaction began, which is over before the month is closed', async () => {
  const { database } = scene.stack;
  // As every process connects.
  const process = connectDatabase(scene.stack.config.database.databaseUrl, { poolSize: 1 });
  const limits = await process.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ began: Date; statement: number; idle: number }>`
      select now() as began,
        extract(epoch from current_setting('statement_timeout')::interval)::float8 as statement,
        extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::float8
          as idle`.execute(transaction);
    const [found] = rows;
    await sql`select pg_sleep(0.01)`.execute(transaction);
    await addTransfers(transaction, [transferOf(scene.partner.id, { operationId: 'late' })]);
    return found;
  });
  await process.destroy();
  const { created_at } = await database
    .selectFrom('ledger_transfers')
    .select('created_at')
    .where('operation_id', '=', 'late')
    .executeTakeFirstOrThrow();
  expect(created_at).toEqual(limits?.began);
  // The largest transactions that move money are 20 lines of a bulk order.
  const longest = ((limits?.statement ?? 0) + (limits?.idle ?? 0)) * 200;
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(CLOSED_AFTER_HOURS * 3_600);
});

/** A transfer of 1 ETB between accounts of the platform, in a month. */
const movedIn = (wanted: Month, operation: string, debit: string, credit: string) =>
  sql`insert into ledger_transfers (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
    select ${`${wanted}-15`}::timestamptz, ${operation}, ${`${debit} to ${credit}`}, debit.id, credit.id, 1
    from ledger_accounts as debit, ledger_accounts as credit
    where debit.kind = ${debit} and credit.kind = ${credit}`.execute(scene.stack.database);

test('the list names closed months with movements, and the page is made for paper', async () => {
  const { html } = await scene.asPerson.get('/portal/statements');
  expect(html).toContain(`/portal/statements/${month}/html`);
  expect(html).not.toContain(before);
  const page = await scene.asPerson.get(`/portal/statements/${month}/html`);
  expect(page.html).toContain('size: A4');
  expect(page.html).toContain('Closing balance');
  for (const wrong of [
    `${before}/csv`,
    `${runningMonth()}/csv`,
    `${month}/pdf`,
    '2026-13/csv',
    'x/html',
  ])
    expect((await scene.asPerson.get(`/portal/statements/${wrong}`)).status, wrong).toBe(404);
});

test('every month of the list has its files, also one without a movement', async () => {
  await scene.stack.database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`update redemptions set created_at = ${`${before}-15`}::timestamptz
      where merchant_id = ${scene.merchant.id}`.execute(transaction);
  });
  const { html } = await scene.asMerchantPerson.get('/portal/statements');
  expect(html).toContain(`/portal/statements/${before}/csv`);
  expect(await rowsOf(scene.asMerchantPerson, before)).toEqual([
    ['Paid to you', 'Total', '', '0.00'],
  ]);
  const page = await scene.asMerchantPerson.get(`/portal/statements/${before}/html`);
  expect(page.status).toBe(200);
});
