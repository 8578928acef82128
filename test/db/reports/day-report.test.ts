import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DayReport, dayOfTime } from '../../../src/domain/day-report.ts';
import { formatMoney, parseMoney } from '../../../src/domain/money.ts';
import { takenBackAndRetried, topup } from '../../admin/movements.ts';
import { commandsOn } from '../../admin/scene.ts';
import { reconciled } from '../../end-to-end/faults/reconciled.ts';
import { done } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { sale } from '../../end-to-end/topups/topup-scene.ts';
import { askAll } from '../../positions/placements.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';

const ZONE = 'Africa/Addis_Ababa';

let scene: RedemptionScene;
let report: DayReport;
/** What had moved before the day of the report. */
const BEFORE = '777.000000';

beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
  await deposit(scene.stack, scene.partner.id, BEFORE, 'gift');
  await scene.stack.database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`update ledger_transfers set created_at = now() - interval '3 days'
      where amount = ${BEFORE}`.execute(transaction);
  });
  await dayOfTraffic();
  report = await reportOf(dayOfTime(new Date(), ZONE));
}, 300_000);
afterAll(() => scene?.stop());

/** Everything that moves money: sold, redeemed, refused, cancelled, expired, delivered and failed. */
async function dayOfTraffic(): Promise<void> {
  const { stack, asPartner, asMerchant, partner } = scene;
  const gift = await scene.gift({ denomination: 500 });
  await scene.redeemed(asMerchant, gift, { amount: 120 });
  await scene.redeemed(asMerchant, gift, { amount: 80 });
  await scene.redeemed(asMerchant, await scene.gift({ owner: null }));
  const unpaid = await scene.payee('merchant', { payoutSuffix: '006' });
  const refused = await scene.gift({ merchant: unpaid.merchant });
  const verificationCode = await scene.claimed(unpaid.client, refused);
  expect((await redeem(unpaid.client, refused, { verificationCode })).body.statusCode).toBe(5031);
  done(await asPartner.post(`/vouchers/${(await scene.gift()).id}/cancel`, undefined));
  const due = await scene.gift();
  await scene.expire(due);
  for (const workflow of ['expireVouchers', 'reconcile'])
    await stack.temporal.client.workflow.execute(workflow, {
      workflowId: `report-${randomUUID()}`,
      taskQueue: stack.config.temporal.temporalTaskQueue,
    });
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  for (const msisdn of ['+251910000000', '+251710000000', '+251910000002'])
    await asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale });
}

const commands = () => commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });

const reportOf = (day: string): Promise<DayReport> => commands().json(`money report --day ${day}`);

/** One number of a query that shares nothing with the report. */
async function count(query: ReturnType<typeof sql<{ value: string }>>): Promise<string> {
  const { rows } = await query.execute(scene.stack.database);
  return formatMoney(parseMoney(String(rows[0]?.value ?? '0')));
}

test('the figures are the sums of the records', async () => {
  const { sales, payouts, fees, redemptions } = report;
  expect(sales.vouchers.amount).toBe(await count(sql`select sum(amount) as value from vouchers`));
  expect(sales.vouchers.count).toBe(5);
  const posted = (column: string) =>
    count(sql`select sum(${sql.ref(column)}) as value from redemptions where status = 'POSTED'`);
  expect(payouts.amount).toBe(await posted('to_merchant'));
  expect(fees.amount).toBe(await posted('service_fee'));
  expect(redemptions).toEqual({
    count: 3,
    amount: await count(sql`
      select sum(to_merchant + service_fee) as value from redemptions where status = 'POSTED'`),
  });
  expect(sales.topups).toEqual({
    count: 2,
    amount: await count(sql`select sum(amount) as value from topups where status = 'SUCCESS'`),
  });
});

test('a login of reports reads the report and checks the ledger', async () => {
  const reports = commandsOn({ DATABASE_URL: scene.stack.urlFor('reports') });
  const { madeAt: _, ...read } = await reports.json(`money report --day ${report.day}`);
  const { madeAt: __, ...known } = await reportOf(report.day);
  expect(read).toEqual(known);
  expect(await reports.json('money check-ledger')).toMatchObject({ ok: true });
});

test('top-ups are told apart by operator and outcome', () => {
  expect(report.topups.map(({ operator, outcome, count }) => [operator, outcome, count])).toEqual([
    ['ETHIO_TELECOM', 'begun', 2],
    ['ETHIO_TELECOM', 'delivered', 1],
    ['ETHIO_TELECOM', 'failed', 1],
    ['SAFARICOM_ETHIOPIA', 'begun', 1],
    ['SAFARICOM_ETHIOPIA', 'delivered', 1],
  ]);
});

test('each account leads from its opening to its closing balance by what moved, and both are those of the ledger', async () => {
  const money = (text: string) => parseMoney(text);
  for (const account of [...report.accounts, ...report.wallets])
    expect(
      money(account.opening) + money(account.credited) - money(account.debited),
      account.kind,
    ).toBe(money(account.closing));
  const { rows } = await sql<{ kind: string; opening: string; closing: string }>`
    select kind, coalesce(sum(entry.amount) filter (where created_at < now() - interval '2 days'), 0)
        ::numeric(20, 6)::text as opening,
      coalesce(sum(entry.amount), 0)::numeric(20, 6)::text as closing
    from ledger_accounts left join (
      select credit_account_id as account_id, created_at, amount from ledger_transfers
      union all
      select debit_account_id, created_at, -amount from ledger_transfers
    ) as entry on entry.account_id = ledger_accounts.id
    group by kind`.execute(scene.stack.database);
  const byKind = (accounts: readonly { kind: string; opening: string; closing: string }[]) =>
    accounts.map(({ kind, opening, closing }) => `${kind}: ${opening}, ${closing}`).toSorted();
  expect(byKind(report.accounts)).toEqual(byKind(rows));
  expect(report.accounts.find(({ kind }) => kind === 'gift')?.opening).toBe(BEFORE);
  const wallet = report.wallets.find(({ kind }) => kind === 'gift');
  expect(wallet).toMatchObject({ partnerId: scene.partner.id, opening: BEFORE });
});

test('every movement of the day is there by its name, and they add up to the ledger', async () => {
  expect(report.movements.map(({ label }) => label)).toEqual([
    'Deposits to gift wallets',
    'Deposits to airtime wallets',
    'Vouchers generated',
    'Redemptions begun',
    'Redemptions: paid to merchants',
    'Redemptions: service fees',
    'Redemptions refused, returned',
    'Top-ups begun',
    'Top-ups delivered',
    'Top-ups failed, returned',
    'Vouchers cancelled',
    'Vouchers expired',
  ]);
  const total = report.movements.reduce((sum, { amount }) => sum + parseMoney(amount), 0n);
  expect(formatMoney(total)).toBe(
    await count(sql`
      select sum(amount) as value from ledger_transfers where amount <> ${BEFORE}`),
  );
  const perHour = report.hours.reduce((sum, { vouchers }) => sum + vouchers.count, 0);
  expect(perHour).toBe(report.sales.vouchers.count);
});

test('a day on which nothing happened has none of it, and balances that stay', async () => {
  const quiet = await reportOf(dayOfTime(new Date(Date.now() - 2 * 86_400_000), ZONE));
  expect(quiet.movements).toEqual([]);
  expect(quiet.isClosed).toBe(true);
  const gift = quiet.accounts.find(({ kind }) => kind === 'gift');
  expect(gift).toMatchObject({ opening: BEFORE, closing: BEFORE, credited: '0.000000' });
  expect(report.isClosed).toBe(false);
});

test('every form has the same figures and needs nothing from elsewhere', async () => {
  const day = `--day ${report.day}`;
  const page = await commands().admin(`money report ${day} --format html`);
  expect(page).toMatchObject({ code: 0, err: '' });
  expect(page.out).not.toMatch(/<script|src=|href=|@import|url\(/);
  expect(page.out.match(/<svg/g)).toHaveLength(3);
  expect(page.out).toContain('The books are in order.');
  const { out: file } = await commands().admin(`money report ${day} --format csv`);
  expect(file).toContain('"Business of the day","Vouchers generated","5","900.00"');
  const { out: text } = await commands().admin(`money report ${day}`);
  for (const out of [page.out, text]) {
    expect(out).toContain('900.00');
    expect(out).toContain('Vouchers cancelled');
    expect(out).not.toMatch(/2519\d{8}|2517\d{8}/);
  }
  const refused = await commands().admin('money report --day 2026-02-30');
  expect(refused).toMatchObject({ code: 1 });
});

test('a fault of the books shows, and makes the exit code 2', async () => {
  const { database } = scene.stack;
  const change = (amount: string) =>
    database.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      await sql`update vouchers set amount = amount + ${amount}::numeric
        where id = (select min(id) from vouchers)`.execute(transaction);
      await sql`update ledger_accounts set balance = balance + ${amount}::numeric
        where kind = 'airtime' and partner_id = ${scene.partner.id}`.execute(transaction);
    });
  await change('1');
  try {
    const broken = await commands().admin(`money report --day ${report.day}`);
    expect(broken.code).toBe(2);
    expect(broken.out).toContain('The opening balances sum to 1.000000');
    expect(broken.out).toContain('vouchers generated: ledger 900.000000, records 901.000000');
    expect(broken.out).toContain('I2 a cached balance is the sum of its transfers');
  } finally {
    await change('-1');
  }
  expect((await commands().admin(`money report --day ${report.day}`)).code).toBe(0);
});

test('a report that is made again stays in order after a retry at another price', async () => {
  const { database, api } = scene.stack;
  const { numbers } = api.services;
  const id = await topup(database, scene.partner.id, '15', { ending: 'SUCCESS', numbers });
  await takenBackAndRetried(database, id, '20', numbers);
  const again = await reportOf(report.day);
  expect(again.sales.topups.amount).toBe('135.000000');
  expect(again.checks.flatMap(({ faults }) => faults)).toEqual([]);
});

test('a payment that its provider took back is an open case, in every form', async () => {
  const { stack } = scene;
  expect(report).toMatchObject({ cases: [], caseCount: 0 });
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift);
  await scene.settlePayout(merchant, 'reversed');
  await askAll(stack.database);
  expect(await reconciled(stack)).toContain('A provider took it back');
  const { payment_reference: reference } = await stack.database
    .selectFrom('redemptions')
    .select('payment_reference')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  const now = await reportOf(report.day);
  expect(now.caseCount).toBe(1);
  expect(now.cases).toEqual([
    expect.objectContaining({ reference, provider: 'gsma', amount: '-97.500000' }),
  ]);
  for (const format of ['html', 'csv', 'text']) {
    const form = format === 'text' ? '' : ` --format ${format}`;
    const { out } = await commands().admin(`money report --day ${report.day}${form}`);
    expect(out, format).toContain(reference);
  }
});
