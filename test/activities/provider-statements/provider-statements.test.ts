import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import {
  createBalanceActivities,
  createProviderStatementActivities,
} from '../../../activities/provider-statements.ts';
import {
  archiveDays,
  firstMonthKept,
  listArchivedMonths,
  MINIMUM_MONTHS,
  restoreMonth,
} from '../../../src/db/ledger/archives.ts';
import { compareBalance, listBalances } from '../../../src/db/provider-statements/balances.ts';
import { findStatement } from '../../../src/db/provider-statements/statements.ts';
import { type Day, dayOfTime, lastClosedDay } from '../../../src/domain/day-report.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import type { ProviderAccount } from '../../../src/providers/statement.ts';
import { makeVoucher, redemptions } from '../../admin/movements.ts';
import { makeOlder } from '../../admin/older-rows.ts';
import { type AdminScene, makeFundedCatalogue, openScene } from '../../admin/scene.ts';
import { untilBooksAreChecked } from '../../db/ledger/checked-books.ts';
import { moveRows } from '../../db/provider-statements/move-rows.ts';
import { observe, takenBack } from '../../positions/placements.ts';

let scene: AdminScene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const zone = 'Africa/Addis_Ababa';

const feeOf = (fee: string): ProviderAccount => ({
  async *listStatement({ from }) {
    const line: ProviderStatementLine = {
      kind: 'payment',
      reference: null,
      providerReference: 'fee',
      status: 'completed',
      amount: '0',
      currency: 'ETB',
      fee,
      feeCurrency: 'ETB',
      at: from,
    };
    yield { kind: 'page', rows: [line] };
  },
});

/** The activities for these providers. */
function activitiesOf(accounts: Record<string, ProviderAccount>, days = 1) {
  const dependencies = {
    database: scene.database,
    balanceAccounts: Object.entries(accounts).map(([name, account]) => ({ name, account })),
    providerAccounts: Object.entries(accounts).map(([name, account]) => ({
      name,
      kind: 'mobile-money',
      account,
    })),
    settings: {
      market: { marketTimeZone: zone },
      schedules: {
        providerStatementRetrySeconds: 1,
        providerStatementTries: 3,
        providerStatementMarginSeconds: 1_800,
      },
      topups: { reversalWatchSeconds: 0 },
    },
  } as unknown as ActivityDependencies;
  return {
    ...createProviderStatementActivities(dependencies, days),
    ...createBalanceActivities(dependencies),
  };
}

function asActivity<Result>(run: () => Promise<Result>): Promise<Result> {
  const log = { warn: () => undefined, error: () => undefined };
  const context = { info: { attempt: 1 }, heartbeat: () => undefined, log };
  return asyncLocalStorage.run(context as unknown as Context, run);
}

const day: Day = lastClosedDay(new Date(), zone);

it('a statement that the database refuses keeps no other provider waiting', async () => {
  const activities = activitiesOf({ gsma: feeOf('9'.repeat(18)), mpesa: feeOf('12.50') });
  const round = (tries: number) => asActivity(() => activities.compareProviderStatements(tries));

  expect(await round(1)).toMatchObject({
    compared: [`mpesa ${day}: 0 booked, 0 not explained yet`],
    unfinished: [`gsma ${day}: The database refuses what it says, with SQLSTATE 22003.`],
    canRetry: true,
  });
  const stateOf = async (provider: string) =>
    (await findStatement(scene.database, provider, day))?.state;
  expect(await stateOf('gsma')).toBe('TRYING');
  await round(3);
  expect(await stateOf('gsma')).toBe('FAILED');
  expect(await stateOf('mpesa')).toBe('COMPARED');
});

it('a day that an operator compared before its end is compared once more', async () => {
  const { database } = scene;
  const activities = activitiesOf({ whole: feeOf('12.50') });
  const round = () => asActivity(() => activities.compareProviderStatements(1));
  const compared = [`whole ${day}: 0 booked, 0 not explained yet`];
  expect(await round()).toMatchObject({ compared });
  expect(await round()).toMatchObject({ compared: [] });
  await sql`
    update provider_statements set loaded_at = ${`${day}T09:00:00Z`} where provider = 'whole'`.execute(
    database,
  );
  expect(await round()).toMatchObject({ compared });
  expect(await round()).toMatchObject({ compared: [] });
});

it('a day that the database refuses when it is compared again keeps no other provider waiting', async () => {
  const { database } = scene;
  await sql`delete from provider_statements where provider = 'gsma'`.execute(database);
  const noon = new Date(`${day}T09:00:00Z`);
  const before = dayOfTime(new Date(noon.getTime() - 86_400_000), zone);
  await sql`insert into provider_statements (provider, day, state) values ('gsma', ${before}, 'TRYING')`.execute(
    database,
  );
  const account: ProviderAccount = {
    async *listStatement({ from }) {
      // The day before has an open break, and is compared again after this one.
      if (dayOfTime(from, zone) === day)
        await sql`
          create function refuse_statement() returns trigger language plpgsql as
            $$ begin raise exception 'refused'; end $$;
          create trigger refuse_statement before update on provider_statements for each row
            when (old.provider = 'gsma' and old.day = ${sql.lit(before)})
            execute function refuse_statement()`.execute(database);
      const line: ProviderStatementLine = {
        kind: 'payment',
        reference: null,
        providerReference: `of ${from.toJSON()}`,
        status: 'completed',
        amount: '5',
        currency: 'ETB',
        fee: null,
        feeCurrency: null,
        at: from,
      };
      yield { kind: 'page', rows: [line] };
    },
  };
  const activities = activitiesOf({ gsma: account, other: feeOf('12.50') }, 2);
  expect(await asActivity(() => activities.compareProviderStatements(1))).toMatchObject({
    compared: [
      `gsma ${day}: 0 booked, 1 not explained yet`,
      `other ${day}: 0 booked, 0 not explained yet`,
    ],
    unfinished: [`gsma ${before}: The database refuses what it says, with SQLSTATE P0001.`],
    canRetry: true,
  });
});

it('a balance that the database refuses keeps no other provider unread', async () => {
  const saying = (amount: string): ProviderAccount => ({
    balance: async () => ({ kind: 'balance', amount, currency: 'ETB' }),
  });
  const activities = activitiesOf({ gsma: saying('1e999999'), mpesa: saying('12.50') });
  expect(await asActivity(() => activities.readProviderBalances())).toEqual([
    'gsma: the database refuses its balance, with SQLSTATE 22003',
  ]);
  expect(await listBalances(scene.database)).toMatchObject([
    { provider: 'mpesa', amount: '12.50' },
  ]);
});

/** The comparison of a day with a reading just before it and one just after it. */
function comparedDay(of: Day, name = 'gsma') {
  const { database } = scene;
  const provider = { name, kind: 'mobile-money' } as const;
  async function casesOf() {
    const { rows } = await sql<{ amount: string }>`
      select amount::text from cases where why = 'balance' and subject = ${`${name} ${of}`}`.execute(
      database,
    );
    return rows.map(({ amount }) => Number(amount));
  }
  return {
    async readings(...amounts: readonly number[]) {
      await sql`delete from provider_balances where provider = ${name}`.execute(database);
      for (const [index, amount] of amounts.entries())
        await sql`
          insert into provider_balances (provider, read_at, currency, amount)
          values (${name}, ((${of}::date + ${index}::int)::timestamp at time zone ${zone}::text)
            + interval '1 minute' * ${index === 0 ? -1 : 1}, 'ETB', ${amount})`.execute(database);
    },
    charged: (fee: number) =>
      sql`
        insert into provider_statements (provider, day, state, compared_at, booked_fee)
        values (${name}, ${of}, 'COMPARED', now(), ${fee})
        on conflict (provider, day) do update
          set state = 'COMPARED', compared_at = now(), booked_fee = ${fee}`.execute(database),
    casesOf,
    /** The amounts of its cases, after it was compared twice. */
    async compare() {
      for (const _time of ['first', 'again'])
        await compareBalance(
          database,
          { provider, day: of, zone },
          { providerStatementMarginSeconds: 1_800 },
        );
      return casesOf();
    },
  };
}

it('a balance that fell by more than the provider did and charged is a case, once', async () => {
  const { readings, charged, compare } = comparedDay(day);
  await charged(2);
  await readings(1_000);
  expect(await compare()).toEqual([]);
  await readings(1_000, 998);
  expect(await compare()).toEqual([]);
  // We have sent money to the provider.
  await readings(1_000, 5_000);
  expect(await compare()).toEqual([]);
  await readings(1_000, 948);
  expect(await compare()).toEqual([50]);
});

it('a day whose statement comes late is compared with the balance then', async () => {
  const { database } = scene;
  const late = dayOfTime(new Date(Date.parse(`${day}T09:00:00Z`) - 3 * 86_400_000), zone);
  await sql`insert into provider_statements (provider, day, state) values ('tardy', ${late}, 'TRYING')`.execute(
    database,
  );
  const { readings, casesOf } = comparedDay(late, 'tardy');
  await readings(1_000, 948);
  const activities = activitiesOf({ tardy: feeOf('2') }, 4);
  await asActivity(() => activities.readProviderBalances());
  expect(await casesOf()).toEqual([]);
  await asActivity(() => activities.compareProviderStatements(1));
  expect(await casesOf()).toEqual([50]);
});

it('a payment counts once, whether the provider said it, at once or later, or staff booked it', async () => {
  const { database } = scene;
  const catalogue = await makeFundedCatalogue(scene);
  const payments = redemptions(database, catalogue);
  for (const by of ['provider', 'staff'] as const)
    for (const isPending of [false, true]) {
      const { id } = await makeVoucher(database, catalogue, { amount: '50' });
      const operationId = await payments.hold(id);
      if (isPending)
        await database
          .transaction()
          .execute((transaction) => observe(transaction, operationId, { said: 'pending' }));
      await payments.post(operationId, { by });
    }
  const { rows } = await sql<{ paid: number }>`
    select sum(to_merchant)::float8 as paid from redemptions where status = 'POSTED'`.execute(
    database,
  );
  // The fees of the day before count, too.
  await comparedDay(day).charged(0);
  const { readings, charged, compare } = comparedDay(dayOfTime(new Date(), zone));
  await charged(0);
  await readings(1_000, 995 - (rows[0]?.paid ?? 0));
  expect(await compare()).toEqual([5]);
});

it('a payment that was taken back after the readings counts as it was then', async () => {
  const { database } = scene;
  const past = dayOfTime(new Date(Date.parse(`${day}T09:00:00Z`) - 7 * 86_400_000), zone);
  const catalogue = await makeFundedCatalogue(scene);
  const payments = redemptions(database, catalogue);
  const operationId = await payments.hold((await makeVoucher(database, catalogue)).id);
  await payments.post(operationId);
  const { rows } = await sql<{ reference: string; ordered: number }>`
    select reference, ordered::float8 from placements where operation_id = ${operationId}`.execute(
    database,
  );
  const noon = new Date(`${past}T09:00:00Z`);
  await moveRows(database, [rows[0]?.reference ?? ''], { began: noon, ended: noon });
  await takenBack(database, operationId);
  const { readings, charged, compare } = comparedDay(past);
  await charged(0);
  await readings(1_000, 1_000 - (rows[0]?.ordered ?? 0));
  expect(await compare()).toEqual([]);
  await readings(1_000, 995 - (rows[0]?.ordered ?? 0));
  expect(await compare()).toEqual([5]);
});

/** A payment of an archived month at a provider; its reference, and the month. */
async function payLongAgo(provider: string) {
  const { database } = scene;
  const catalogue = await makeFundedCatalogue(scene);
  const payments = redemptions(database, catalogue);
  const operationId = await payments.hold((await makeVoucher(database, catalogue)).id);
  await payments.post(operationId);
  const { rows } = await sql<{ reference: string }>`
    update placements set provider = ${provider} where operation_id = ${operationId}
    returning reference`.execute(database);
  await makeOlder(database, MINIMUM_MONTHS + 2);
  await untilBooksAreChecked(database);
  const folder = await mkdtemp(join(tmpdir(), 'archive-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await archiveDays(database, { folder, before: firstMonthKept(new Date(), MINIMUM_MONTHS) });
  const month = (await listArchivedMonths(database))[0]?.month;
  if (!rows[0] || !month) throw new Error('Nothing was archived');
  return { reference: rows[0].reference, month };
}

it('a line of an archived payment keeps no other day or provider waiting, and is booked once it is back', async () => {
  const { database } = scene;
  const { reference, month } = await payLongAgo('early');
  const before = dayOfTime(new Date(Date.parse(`${day}T09:00:00Z`) - 86_400_000), zone);
  await sql`insert into provider_statements (provider, day, state) values ('early', ${before}, 'TRYING')`.execute(
    database,
  );
  const account: ProviderAccount = {
    async *listStatement({ from }) {
      const line: ProviderStatementLine = {
        kind: 'payment',
        reference,
        providerReference: 'MM-1',
        status: 'reversed',
        amount: '487.5',
        currency: 'ETB',
        fee: null,
        feeCurrency: null,
        at: from,
      };
      const lines = dayOfTime(from, zone) === before ? [line] : [];
      yield { kind: 'page', rows: lines };
    },
  };
  const activities = activitiesOf({ early: account, late: feeOf('12.50') }, 2);
  const round = () => asActivity(() => activities.compareProviderStatements(1));
  const others = [`early ${day}`, `late ${day}`].map(
    (one) => `${one}: 0 booked, 0 not explained yet`,
  );
  expect(await round()).toMatchObject({
    compared: others,
    unfinished: [
      expect.stringMatching(`^early ${before}: .*"money archive restore ${month}" first.$`),
    ],
    canRetry: true,
  });
  await restoreMonth(database, month);
  expect(await round()).toMatchObject({
    compared: [`early ${before}: 1 booked, 0 not explained yet`],
    unfinished: [],
  });
});
