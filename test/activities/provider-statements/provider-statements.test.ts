import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.js';
import { createProviderStatementActivities } from '../../../activities/provider-statements/provider-statements.js';
import { findStatement } from '../../../src/db/provider-statements/provider-statements.js';
import { type Day, lastClosedDay } from '../../../src/domain/reports/day-report.js';
import type { ProviderAccount, ProviderStatementLine } from '../../../src/providers/statement.js';
import { type AdminScene, openScene } from '../../admin/scene.js';

let scene: AdminScene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const zone = 'Africa/Addis_Ababa';

const feeOf = (fee: string): ProviderAccount => ({
  async *listStatement({ from }) {
    const line: ProviderStatementLine = {
      ...{ kind: 'payment', reference: null, providerReference: 'fee', status: 'completed' },
      ...{ amount: '0', currency: 'ETB', fee, feeCurrency: 'ETB', at: from },
    };
    yield { kind: 'page', lines: [line], ignored: 0 };
  },
});

it('a statement that the database refuses keeps no other provider waiting', async () => {
  const activities = createProviderStatementActivities({
    database: scene.database,
    providerAccounts: [
      { name: 'gsma', kind: 'mobile-money', isDefault: true, account: feeOf('9'.repeat(18)) },
      { name: 'mpesa', kind: 'mobile-money', isDefault: false, account: feeOf('12.50') },
    ],
    limits: {
      providerStatements: {
        ...{ zone, retrySeconds: 1, maximumTries: 3, days: 1, fileDays: 2 },
        ...{ marginSeconds: 1_800, patienceDays: 3, maximumBreaks: 20 },
      },
    },
  } as unknown as ActivityDependencies);
  const log = { warn: () => undefined, error: () => undefined };
  const context = { info: { attempt: 1 }, heartbeat: () => undefined, log };
  const round = (tries: number) =>
    asyncLocalStorage.run(context as unknown as Context, () =>
      activities.compareProviderStatements(tries),
    );
  const day: Day = lastClosedDay(new Date(), zone);

  expect(await round(1)).toMatchObject({
    compared: [`mpesa ${day}: 0 open breaks`],
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
