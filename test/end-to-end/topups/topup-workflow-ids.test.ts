import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { topupStart } from '../../../src/runtime/temporal/workflow-starts.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { call } from '../../support/clients.ts';
import { recordedTopup } from '../../support/topups.ts';
import { idOf, setTopupScene, type TopupScene } from './topup-scene.ts';

let scene: TopupScene;
beforeAll(async () => {
  scene = await setTopupScene({
    CALLER_WAIT_SECONDS: '2',
    TOPUP_RETRY_WINDOW_SECONDS: '2',
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '600',
  });
});
afterAll(() => scene?.stack.stop());

const idsOf = async (transactionId: number) => {
  const { workflow_id, operation_id } = await scene.stack.database
    .selectFrom('topups')
    .select(['workflow_id', 'operation_id'])
    .where('id', '=', transactionId)
    .executeTakeFirstOrThrow();
  return { workflow_id, operation_id };
};

const handleOf = (workflowId: string) => scene.stack.temporal.client.workflow.getHandle(workflowId);

const reconcile = () =>
  scene.stack.temporal.client.workflow.execute('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });

/** As the provider's callback. */
const newsOf = async (transactionId: number) => {
  const { ourReference } = (await scene.show(transactionId)).attempts.at(-1);
  const nudge = { body: { external_id: ourReference } };
  expect((await call(`${scene.stack.url}/callbacks/airtime`, nudge)).status).toBe(200);
};

it('names the number and the operation, and is kept on the row', async () => {
  const id = idOf(await scene.topup(scene.number('000')));
  const { workflow_id, operation_id } = await idsOf(id);
  expect(workflow_id).toBe(`top-up:${id}:${operation_id}`);
  expect(await handleOf(`top-up:${id}:${operation_id}`).result()).toMatchObject({
    ended: 'delivered',
  });
});

it('stays the same for a retry after the window has closed', async () => {
  const id = await scene.failedTopup();
  const { workflow_id } = await idsOf(id);
  const first = await handleOf(workflow_id).describe();
  await handleOf(workflow_id).result();
  expect((await scene.retry(id, scene.number('000'))).status).toBe(200);
  const second = await handleOf(workflow_id).describe();
  expect(second.runId).not.toBe(first.runId);
});

it('is found by what takes up money on hold, and by the callback of the provider', async () => {
  const id = await scene.openTopup({ isAnswered: true });
  const { workflow_id } = await idsOf(id);
  await handleOf(workflow_id).terminate('as Temporal that was emptied');
  expect(await reconcile()).toMatchObject({ resumedTopups: 1 });
  // One that runs is left alone.
  expect(await reconcile()).toMatchObject({ resumedTopups: 0 });
  await scene.settle(id, 'completed');
  await newsOf(id);
  await scene.untilStatus(id, 'SUCCESS');
});

it('of a number that was withdrawn does nothing for the request under its new number', async () => {
  const request = { operationId: randomUUID(), requestDigest: 'of the request' };
  const msisdn = scene.number('000');
  const { id: partnerId } = scene.partner;
  const topup = { partnerId, amount: '50', msisdn };
  const id = await recordedTopup(scene.stack.api.services, request, topup);
  const command = {
    ...request,
    requestId: randomUUID(),
    company: { kind: 'partner', id: partnerId },
    transactionId: id + 1_000_000,
  } as const;
  const start = topupStart(`top-up:${command.transactionId}:${request.operationId}`, {
    begin: { kind: 'create', command },
    timing: workflowTiming(scene.stack.config),
  });
  const before = await scene.wallet();
  const handle = await scene.stack.temporal.client.workflow.start('topup', {
    ...start.options,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  expect(await handle.result()).toMatchObject({ ended: 'refused', attempts: 0 });
  expect((await scene.show(id)).status).toBe('PENDING');
  expect(await scene.wallet()).toBe(before);
  const { status } = await scene.stack.database
    .selectFrom('operations')
    .select('status')
    .where('id', '=', request.operationId)
    .executeTakeFirstOrThrow();
  expect(status).toBe('RUNNING');
});
