import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createResumptionActivities } from '../../activities/reconciliation.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { withSession } from '../../src/local/postgres.ts';
import type { TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import { testNumbers } from '../end-to-end/privacy/stored-numbers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { connectTestTemporal, withWorkflowWorker } from '../support/workflow-worker.ts';

/** How many are on hold whose workflows are lost: two full pages and a part of a third. */
const HELD = 450;
const PAGE = 200;
const AT_ONCE = 20;

let temporal: TemporalConnection;
let testDatabase: TestDatabase;
let database: Database;
let ids: readonly number[];

beforeAll(async () => {
  temporal = await connectTestTemporal();
  testDatabase = await createTestDatabase();
  await holdMany(testDatabase.url);
  database = connectDatabase(testDatabase.url, { poolSize: 2 });
  const rows = await database.selectFrom('topups').select('id').orderBy('id').execute();
  ids = rows.map(({ id }) => id);
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
  await temporal?.connection.close();
});

/** Rows as holds leave them behind; neither triggers nor foreign keys ask for the rest. */
async function holdMany(connectionString: string): Promise<void> {
  await withSession(connectionString, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(`insert into topups (operation_id, workflow_id, request_digest, partner_id, kind,
        amount, msisdn, status, attempt, exchange_rate, currency, originating_country)
      select 'operation-' || number, 'top-up-' || number, 'digest', 1, 'AIRTIME', 50,
        '${testNumbers.store('+251911000000')}', 'PROCESSING', 1, '1', 'USD', 'US' from generate_series(1, ${HELD}) as number`);
    await client.query(`insert into topup_attempts (topup_id, attempt, operation_id, reference, msisdn)
      select id, 1, operation_id, 'reference-' || id, msisdn from topups`);
    await client.query(`insert into placements (kind, reference, provider, operation_id, ordered)
      select 'top-up', reference, 'dt-one', operation_id, 50 from topup_attempts`);
    await client.query(`insert into operations (id, company_kind, company_id, kind, request_id,
        request_digest, status)
      select operation_id, 'partner', 1, 'airtime-topup', gen_random_uuid(), 'digest', 'RUNNING'
      from topups`);
  });
}

type ResumeTopup = ActivityDependencies['starters']['resumeTopup'];

/** Runs the reconciliation with the real activities on what resumes a top-up; its result. */
async function reconcile(resumeTopup: ResumeTopup): Promise<unknown> {
  const { client } = temporal;
  const activities = {
    ...createResumptionActivities({
      database,
      starters: { resumeTopup },
      numbers: testNumbers,
    } as unknown as ActivityDependencies),
    askDue: async () => ({ asked: 0, isMore: false }),
    checkInvariants: async () => [],
    openCases: async () => [],
  };
  return withWorkflowWorker(temporal, activities, (taskQueue) =>
    client.workflow.execute('reconcile', { workflowId: `reconcile-${randomUUID()}`, taskQueue }),
  );
}

const idOf = (begin: Parameters<ResumeTopup>[1]): number => begin.command.transactionId;

it('asks for so many starts at the same time, and never for more', async () => {
  const asked: number[] = [];
  let running = 0;
  let most = 0;
  /** Those under way wait until as many are as may be, or as are left. */
  let release: (() => void)[] = [];
  const result = await reconcile(async (_names, begin) => {
    asked.push(idOf(begin));
    running += 1;
    most = Math.max(most, running);
    const page = Math.ceil(asked.length / PAGE) * PAGE;
    const isFull = running === AT_ONCE || asked.length === Math.min(page, HELD);
    if (isFull) {
      for (const go of release) go();
      release = [];
    } else await new Promise<void>((resolve) => release.push(resolve));
    running -= 1;
    return true;
  });
  expect(most).toBe(AT_ONCE);
  expect(asked.toSorted((one, other) => one - other)).toEqual(ids);
  expect(result).toMatchObject({ resumedTopups: HELD });
});

it('goes on after a fault from the page that the last heartbeat names', async () => {
  const tries: number[][] = [[]];
  const broken = ids[PAGE + 50];
  const result = await reconcile(async (_names, begin) => {
    const id = idOf(begin);
    tries.at(-1)?.push(id);
    if (id === broken && tries.length === 1) {
      tries.push([]);
      throw ApplicationFailure.create({ message: 'Temporal was away' });
    }
    return true;
  });
  // Those beside the one that failed are done all the same: the second page is done twice.
  const [first = [], second = []] = [tries[0], tries.slice(1).flat()];
  expect(first.filter((id) => id <= (ids[PAGE - 1] ?? 0))).toHaveLength(PAGE);
  expect(new Set(second)).toEqual(new Set(ids.slice(PAGE)));
  expect(result).toMatchObject({ resumedTopups: HELD });
});
