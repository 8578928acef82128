import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Activities } from '../../activities/index.js';
import { readPayloadKeys } from '../../src/config.js';
import { createLogger, installTemporalRuntime } from '../../src/logger.js';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection.js';
import { TEST_PAYLOAD_KEYS } from './payload-keys.js';

type Steps = Pick<
  Activities,
  'resumeRedemptions' | 'resumeTopUps' | 'listRechecks' | 'recheckRefused' | 'checkInvariants'
>;

let temporal: TemporalConnection;
beforeAll(async () => {
  installTemporalRuntime(createLogger('silent', 'test'));
  temporal = await connectTemporal({
    address: inject('temporalAddress'),
    namespace: 'default',
    payloadKeys: readPayloadKeys(TEST_PAYLOAD_KEYS),
  });
});
afterAll(() => temporal?.connection.close());

const CONTRADICTED = 'top-up 1, attempt 1';
const breaks = async (): Promise<never> => {
  throw ApplicationFailure.nonRetryable('broken for good');
};

/** All goes well, but that the provider did what it had refused in the first of two cases. */
const steps: Steps = {
  resumeRedemptions: async () => 0,
  resumeTopUps: async () => 0,
  listRechecks: async () => [
    { kind: 'topup', operationId: 'contradicted' },
    { kind: 'topup', operationId: 'other' },
  ],
  recheckRefused: async ({ operationId }) =>
    operationId === 'contradicted' ? { description: CONTRADICTED } : undefined,
  checkInvariants: async () => [],
};

/** Runs the workflow on these steps: real ones take minutes until they have failed. */
async function failureOf(broken: Partial<Steps>): Promise<{ cause: unknown; isFound: boolean }> {
  const { client, connection, namespace, dataConverter } = temporal;
  const taskQueue = `test-${randomUUID()}`;
  const worker = await Worker.create({
    connection,
    namespace,
    dataConverter,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundlePath') },
    activities: { ...steps, ...broken },
  });
  return worker.runUntil(async () => {
    const workflowId = `reconcile-${randomUUID()}`;
    const handle = await client.workflow.start('reconcile', { workflowId, taskQueue });
    const error = await handle.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    const { typedSearchAttributes } = await handle.describe();
    const isFound = typedSearchAttributes.get(defineSearchAttributeKey('NeedsAction', 'BOOL'));
    return { cause: (error as WorkflowFailedError).cause, isFound: isFound === true };
  });
}

it.each<[string, Partial<Steps>]>([
  ['payments on hold cannot be taken up', { resumeRedemptions: breaks }],
  ['top-ups on hold cannot be taken up', { resumeTopUps: breaks }],
  ['the books cannot be checked', { checkInvariants: breaks }],
  [
    'another refusal cannot be asked about',
    {
      recheckRefused: (one) => (one.operationId === 'other' ? breaks() : steps.recheckRefused(one)),
    },
  ],
])('raises what a provider did although it had refused it, where %s', async (_case, broken) => {
  const { cause, isFound } = await failureOf(broken);
  expect(isFound).toBe(true);
  expect(cause).toMatchObject({
    type: 'NeedsAction',
    message: `done after it was refused: ${CONTRADICTED}`,
  });
});

it('ends with the failure of a step where nothing was found, and does all the others', async () => {
  const done: string[] = [];
  const { cause, isFound } = await failureOf({
    resumeRedemptions: breaks,
    resumeTopUps: async () => done.push('resumeTopUps'),
    listRechecks: async () => [],
    checkInvariants: async () => {
      done.push('checkInvariants');
      return [];
    },
  });
  expect(cause).toBeInstanceOf(ActivityFailure);
  expect(isFound).toBe(false);
  expect(done).toEqual(['resumeTopUps', 'checkInvariants']);
});

it('tries books that cannot be checked twice, so that money on hold soon has its next run', async () => {
  let tries = 0;
  const { isFound } = await failureOf({
    checkInvariants: async () => {
      tries += 1;
      throw new Error('canceling statement due to statement timeout');
    },
  });
  expect(isFound).toBe(true);
  expect(tries).toBe(2);
});
