import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareFile } from '../../../activities/compare-statement.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createProviderStatementActivities } from '../../../activities/provider-statements.ts';
import { listCases } from '../../../src/db/positions/cases.ts';
import { type Day, dayOfTime, lastClosedDay } from '../../../src/domain/day-report.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import { makeVoucher, redemptions } from '../../admin/movements.ts';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from '../../admin/scene.ts';
import { moveRows } from '../../db/provider-statements/move-rows.ts';

let scene: AdminScene;
let catalogue: Catalogue;
beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  await scene.json(`money deposit --partner ${catalogue.partnerId} --wallet gift --amount 100000`);
});
afterAll(() => scene?.close());

const zone = 'Africa/Addis_Ababa';
const mpesa = { name: 'mpesa', kind: 'mobile-money' } as const;

/** Noon of the day that closed so many days before the last closed one. */
const noonBefore = (days: number) => {
  const noon = new Date(`${lastClosedDay(new Date(), zone)}T09:00:00Z`);
  return new Date(noon.getTime() - days * 86_400_000);
};
const dayBefore = (days: number): Day => dayOfTime(noonBefore(days), zone);

/** A payment by M-Pesa on a day; its reference. */
async function pay(days: number, provider = 'mpesa'): Promise<string> {
  const redeem = redemptions(scene.database, catalogue);
  const { id } = await makeVoucher(scene.database, catalogue);
  const operationId = await redeem.hold(id);
  await redeem.post(operationId);
  const { rows } = await sql<{ reference: string }>`
    update placements set provider = ${provider} where operation_id = ${operationId}
    returning reference`.execute(scene.database);
  const reference = rows[0]?.reference ?? '';
  const noon = noonBefore(days);
  await moveRows(scene.database, [reference], { began: noon, ended: noon });
  return reference;
}

/** One round of the Schedule; the days that it calls unfinished. */
async function compareAll(): Promise<readonly string[]> {
  const activities = createProviderStatementActivities({
    database: scene.database,
    providerAccounts: [{ ...mpesa, account: {} }],
    settings: {
      market: { marketTimeZone: zone },
      schedules: {
        providerStatementRetrySeconds: 1,
        providerStatementTries: 3,
        providerStatementMarginSeconds: 1_800,
      },
      topups: { reversalWatchSeconds: 0 },
    },
  } as unknown as ActivityDependencies);
  const log = { warn: () => undefined, error: () => undefined };
  const context = { info: { attempt: 1 }, heartbeat: () => undefined, log };
  const round = await asyncLocalStorage.run(context as unknown as Context, () =>
    activities.compareProviderStatements(1),
  );
  expect(round.canRetry).toBe(false);
  return round.unfinished;
}

const cases = () => listCases(scene.database, { includeClosed: false, limit: 10 });
const subjects = async () => (await cases()).map(({ subject }) => subject);

it('a day with payments by M-Pesa and without its file is a case until the file is compared', async () => {
  const [paid, recent, byGsma] = [await pay(2), await pay(1), await pay(3, 'gsma')];
  expect([paid, recent, byGsma]).not.toContain('');
  const missed = dayBefore(2);
  expect(await compareAll()).toEqual([`mpesa ${missed}: give its file`]);
  expect(await subjects()).toEqual([`mpesa ${missed}`]);
  expect(await cases()).toMatchObject([
    { why: 'unread', message: expect.stringContaining('its file was not given') },
  ]);
  // It is noted once.
  expect(await compareAll()).toEqual([]);
  expect(await subjects()).toEqual([`mpesa ${missed}`]);

  const line: ProviderStatementLine = {
    kind: 'payment',
    providerReference: 'SKM1',
    reference: paid,
    status: 'completed',
    amount: '487.5',
    currency: 'ETB',
    fee: null,
    feeCurrency: null,
    at: noonBefore(2),
  };
  const settings = {
    providerStatementMarginSeconds: 1_800,
    patienceDays: 3,
    maximumDifferences: 20,
    reversalWatchSeconds: 0,
  };
  const of = { provider: mpesa, day: missed, zone };
  const give = () => compareFile(scene.database, of, [line], settings);
  expect(await give()).toMatchObject({ unexplained: 0 });
  expect(await subjects()).toEqual([]);
  expect(await compareAll()).toEqual([]);

  // A file that was given before the end of the day lacks the rest of it.
  await sql`update provider_statements set loaded_at = ${noonBefore(2)}`.execute(scene.database);
  expect(await compareAll()).toEqual([`mpesa ${missed}: give its file`]);
  expect(await subjects()).toEqual([`mpesa ${missed}`]);
  await give();
  expect(await subjects()).toEqual([]);
  expect(await compareAll()).toEqual([]);
});
