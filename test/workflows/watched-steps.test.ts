import { randomUUID } from 'node:crypto';
import { coresdk } from '@temporalio/proto';
import { expect, inject, test } from 'vitest';
import { createWorker } from '../../src/runtime/worker/workflow-threads/create-worker.ts';
import { until } from '../support/until.ts';
import { connectTestTemporal } from '../support/workflow-worker.ts';
import { detailsOf } from './details-of.ts';

interface Native {
  completeWorkflowActivation(completion: Buffer): Promise<void>;
  completeActivityTask(completion: Buffer): Promise<void>;
}

const { WorkflowActivationCompletion } = coresdk.workflow_completion;

const answersQuery = (completion: Buffer): boolean =>
  WorkflowActivationCompletion.decodeDelimited(completion).successful?.commands?.some(
    ({ respondToQuery }) => respondToQuery,
  ) ?? false;

const gates = () => ({
  isSending: Promise.withResolvers<void>(),
  isSent: Promise.withResolvers<void>(),
  isHeld: Promise.withResolvers<void>(),
  mayGoOn: Promise.withResolvers<void>(),
  isAnswering: Promise.withResolvers<void>(),
  hasEnded: Promise.withResolvers<void>(),
  isPausing: false,
  isEnding: false,
  isRead: false,
});

/** Holds a task until the query waits, and the answer of the query until the step has ended and `tell` is done. */
function interleave(worker: unknown, at: ReturnType<typeof gates>, tell: () => Promise<void>) {
  const { nativeWorker: native } = worker as { readonly nativeWorker: Native };
  const { completeWorkflowActivation, completeActivityTask } = native;
  native.completeWorkflowActivation = async (completion) => {
    if (at.isPausing) {
      at.isPausing = false;
      at.isHeld.resolve();
      await at.mayGoOn.promise;
    } else if (!at.isRead && answersQuery(completion)) {
      at.isRead = true;
      at.isAnswering.resolve();
      await at.hasEnded.promise;
      await tell();
    }
    await completeWorkflowActivation(completion);
  };
  native.completeActivityTask = async (completion) => {
    await completeActivityTask(completion);
    if (at.isEnding) at.hasEnded.resolve();
  };
}

/**
 * Temporal records the end of a local step while the page of the workflow is being read, and the workflow learns of it
 * in its next task, after the signals of that task. A replay gives it the end first.
 */
test('replays a top-up whose step ended while its page was read, and a signal came', async () => {
  const { client, connection, ...temporal } = await connectTestTemporal();
  const operationId = randomUUID();
  const at = gates();
  const worker = await createWorker({
    ...temporal,
    connection,
    taskQueue: `test-${operationId}`,
    workflowBundle: { codePath: inject('workflowBundlePath') },
    activities: {
      holdTopup: async () => ({ ...held, operationId }),
      async sendTopup(_operationId: string, call: number) {
        at.isSending.resolve();
        await at.isSent.promise;
        return { kind: 'refused', message: 'no', code: '1', of: { operationId, call } };
      },
      async endTopup() {
        await at.isAnswering.promise;
        at.isEnding = true;
        return { requestId: 'r', result: { ok: false, reason: 'topup-failed' } };
      },
    },
  });
  interleave(worker, at, () => handle.signal('retry'));
  const ended = worker.run();
  const handle = await client.workflow.start('topup', {
    workflowId: `watched-${operationId}`,
    taskQueue: `test-${operationId}`,
    workflowTaskTimeout: '20s',
    args: [inputOf(operationId)],
  });
  await at.isSending.promise;
  // This task still runs when the query comes, so that the next one has both the query and the step.
  at.isPausing = true;
  await handle.signal('retry');
  await at.isHeld.promise;
  const page = detailsOf(handle);
  at.isSent.resolve();
  await until(async () =>
    expect((await handle.describe()).raw.pendingActivities ?? []).toHaveLength(0),
  );
  at.mayGoOn.resolve();
  await page;
  expect(await handle.result()).toEqual({ ended: 'failed', attempts: 1 });
  // An ended workflow is replayed for its page.
  expect(await detailsOf(handle)).toContain('**Failed**');
  worker.shutdown();
  await ended;
  await connection.close();
});

const held = {
  kind: 'held',
  isResumed: false,
  attempt: 1,
  msisdn: '*',
  amount: '1.00',
  product: 'Airtime',
  reference: 'R1',
  provider: 'p',
  partner: 'P',
};

const inputOf = (operationId: string) => ({
  begin: {
    kind: 'create',
    command: {
      operationId,
      requestId: 'r',
      requestDigest: 'd',
      company: { kind: 'partner', id: 1 },
      transactionId: 1,
    },
  },
  timing: {
    retryWindowMs: 1_000,
    inquiryIntervalMs: 60_000,
    alarmAfterMs: 60_000,
    maximumNudges: 5,
  },
});
