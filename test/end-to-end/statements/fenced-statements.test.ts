import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liftFence, raiseFence } from '../../../src/db/recovery.ts';
import { lastClosedDay } from '../../../src/domain/day-report.ts';
import { commandsOn } from '../../admin/scene.ts';
import { moveRows } from '../../db/provider-statements/move-rows.ts';
import { call } from '../../support/clients.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { type GiftScene, setGiftScene } from '../gift/gift-scene.ts';

const ZONE = 'Africa/Addis_Ababa';

let scene: GiftScene;

beforeAll(async () => {
  scene = await setGiftScene({ REVERSAL_WATCH_SECONDS: '0' });
});
afterAll(() => scene?.stop());

/** A payout of the last closed day whose statement has another amount. */
async function wronglyListedPayout(day: string): Promise<void> {
  const gift = await scene.gift({ owner: null });
  await scene.redeemed(scene.asMerchant, gift);
  const { books, url } = scene.stack.sandbox;
  const [paid] = books.allPayouts();
  if (!paid) throw new Error('Nothing was paid');
  const noon = new Date(Date.parse(`${day}T09:00:00Z`));
  Object.assign(paid, { takenAt: noon });
  await moveRows(scene.stack.database, [paid.reference], { began: noon, ended: noon });
  const { status } = await call(`${url}/statements/faults`, {
    body: { reference: paid.reference, fault: 'amount' },
  });
  expect(status).toBe(200);
}

/** Starts a workflow, and waits until its step is refused because of the fence. */
async function startFenced(type: 'watchBalances' | 'compareStatements') {
  const handle = await scene.stack.temporal.client.workflow.start(type, {
    workflowId: `fenced-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  const seen = await until(async () => {
    const { raw, status } = await handle.describe();
    if (status.name !== 'RUNNING') return 'ended';
    const [step] = raw.pendingActivities ?? [];
    expect(step?.lastFailure?.applicationFailureInfo?.type).toBe('Maintenance');
    return 'refused';
  });
  if (seen === 'ended') throw new Error(`${type} saw no fence`);
  return handle;
}

async function feesAndCases() {
  const { rows } = await sql<Record<string, number>>`
    select
      (select count(*)::int from ledger_transfers where operation_id like 'provider-fee:%') as fees,
      (select count(*)::int from cases) as cases,
      (select count(*)::int from provider_statements) as statements`.execute(scene.stack.database);
  return rows[0];
}

test('while the fence of a restore stands, no statement is compared, and neither fees nor cases are booked', async () => {
  const { database, sandbox, urlFor } = scene.stack;
  const day = lastClosedDay(new Date(), ZONE);
  await wronglyListedPayout(day);
  const fenceId = await database
    .transaction()
    .execute((transaction) => raiseFence(transaction, new Date()));
  const operator = commandsOn({
    DATABASE_URL: urlFor('operator'),
    ...providerSettings(sandbox),
  });
  const { code, err } = await operator.admin(`money reconcile --provider gsma --day ${day}`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('The fence') });
  // The worker looks at the fence from time to time: it has seen it once it refuses a step.
  await until(() => startFenced('watchBalances'));
  const handle = await startFenced('compareStatements');
  expect(await feesAndCases()).toEqual({ fees: 0, cases: 0, statements: 0 });

  await database.transaction().execute((transaction) => liftFence(transaction, fenceId));
  expect(await handle.result()).toMatchObject({
    compared: expect.arrayContaining([`gsma ${day}: 1 booked, 0 not explained yet`]),
  });
  expect(await feesAndCases()).toMatchObject({ fees: 1, cases: 1 });
});
