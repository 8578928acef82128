import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createRefusalInquiryActivities } from '../../../activities/reconciliation/refusal-inquiries.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import type { ProviderInquiry } from '../../../src/providers/outcome.ts';
import type { TemporalConnection } from '../../../src/temporal/connection.ts';
import { testNumbers } from '../../end-to-end/privacy/stored-numbers.ts';
import { setOfOne } from '../../providers/set-of-one.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { connectTestTemporal, withWorkflowWorker } from '../../support/workflow-worker.ts';

/** More than are taken at once. */
const DUE = 250;
/** The longest due: more than are taken at once. */
const BROKEN = 120;

let temporal: TemporalConnection;
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  temporal = await connectTestTemporal();
  testDatabase = await createTestDatabase();
  await refuseMany(testDatabase.url);
  database = connectDatabase(testDatabase.url, { poolSize: 4 });
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
  await temporal?.connection.close();
});

/** Top-ups that failed and are due; neither triggers nor foreign keys ask for the rest. */
async function refuseMany(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(`insert into topups (operation_id, workflow_id, request_digest, partner_id, kind,
        amount, msisdn, status, attempt, operator, exchange_rate, currency, originating_country)
      select 'operation-' || number, 'top-up-' || number, 'digest', 1, 'AIRTIME', 50,
        '${testNumbers.store('+251911000000')}', 'FAILED', 1, 'ETHIO_TELECOM', '1', 'USD', 'US' from generate_series(1, ${DUE}) as number`);
    await client.query(`insert into topup_attempts (topup_id, attempt, operation_id, reference, msisdn,
        provider, status, settled_at, recheck_at)
      select id, 1, operation_id, operation_id, msisdn, 'dt-one', 'VOIDED', now(), now() - interval '1 hour'
          + substr(operation_id, 11)::int * interval '1 second'
      from topups`);
    // What an attempt held is asked of the ledger.
    await client.query(`insert into ledger_transfers (operation_id, step, debit_account_id,
        credit_account_id, amount)
      select operation_id, 'hold', min(account.id), max(account.id), 50
      from topups cross join ledger_accounts as account group by operation_id`);
  } finally {
    await client.end();
  }
}

const isBroken = (reference: string): boolean => Number(reference.split('-')[1]) <= BROKEN;

/** Reconciles with the real step on a provider that answers so. */
async function reconcile(
  findOrder: (order: { readonly reference: string }) => Promise<ProviderInquiry>,
): Promise<unknown> {
  const { client } = temporal;
  const activities = {
    ...createRefusalInquiryActivities({
      database,
      airtime: setOfOne('dt-one', { findOrder }),
      numbers: testNumbers,
      limits: { reversalWatchSeconds: 0 },
    } as unknown as ActivityDependencies),
    resumeRedemptions: async () => 0,
    resumeTopUps: async () => 0,
    checkInvariants: async () => [],
    openCases: async () => [],
  };
  return withWorkflowWorker(temporal, activities, (taskQueue) =>
    client.workflow.execute('reconcile', { workflowId: `reconcile-${randomUUID()}`, taskQueue }),
  );
}

const stillDue = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from topup_attempts where recheck_at <= now()`.execute(database);
  return rows[0]?.count ?? 0;
};

it('asks about all the others before it asks again about what could not be booked', async () => {
  const mend = await breakStatement(database, {
    table: 'topup_attempts',
    on: 'update',
    when: 'new.contradicted_at is not null',
  });
  const asked: string[] = [];
  const result = await reconcile(async ({ reference }) => {
    const isRepeated = asked.includes(reference);
    asked.push(reference);
    return isBroken(reference) && !isRepeated
      ? { kind: 'delivered', providerReference: `provider-${reference}` }
      : { kind: 'refused', code: 'FAILED', message: 'failed', retryCanHelp: false };
  });
  expect(new Set(asked.slice(0, DUE)).size).toBe(DUE);
  // Only what failed is asked about by the second try, and all that it asks about is answered.
  expect(asked.slice(DUE).every(isBroken)).toBe(true);
  expect(result).toMatchObject({ rechecked: BROKEN });
  expect(await stillDue()).toBe(0);
  await mend();
});
