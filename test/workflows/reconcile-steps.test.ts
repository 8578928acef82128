import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Activities } from '../../activities/index.ts';
import type { TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import { connectTestTemporal, startStepWorker } from '../support/workflow-worker.ts';
import { callsPerson } from './called-person.ts';

type Steps = Pick<
  Activities,
  'resumeRedemptions' | 'resumeTopups' | 'askDue' | 'checkInvariants' | 'openCases'
>;

const NAMES = [
  'resumeRedemptions',
  'resumeTopups',
  'askDue',
  'checkInvariants',
  'openCases',
] as const satisfies readonly (keyof Steps)[];

let temporal: TemporalConnection;
let worker: Awaited<ReturnType<typeof startStepWorker<Steps>>>;

beforeAll(async () => {
  temporal = await connectTestTemporal();
  worker = await startStepWorker<Steps>(temporal, NAMES);
});
afterAll(async () => {
  await worker?.stop();
  await temporal?.connection.close();
});

const OPENED = 'A provider did an order after all, ETB 50.00';
const breaks = async (): Promise<never> => {
  throw ApplicationFailure.nonRetryable('broken for good');
};

/** All goes well, but that a case is opened. */
const usual: Steps = {
  resumeRedemptions: async () => 0,
  resumeTopups: async () => 0,
  askDue: async () => ({ asked: 2, isMore: false }),
  checkInvariants: async () => [],
  openCases: async () => [OPENED],
};

/** Runs the workflow on these steps, in place of those that take minutes until they have failed. */
async function runOn(changed: Partial<Steps>) {
  worker.set({ ...usual, ...changed });
  const workflowId = `reconcile-${randomUUID()}`;
  const { taskQueue } = worker;
  const handle = await temporal.client.workflow.start('reconcile', { workflowId, taskQueue });
  const result: unknown = await handle.result().catch((thrown: unknown) => thrown);
  return { result, isFound: await callsPerson(handle) };
}

async function failureOf(broken: Partial<Steps>): Promise<{ cause: unknown; isFound: boolean }> {
  const { result, isFound } = await runOn(broken);
  expect(result).toBeInstanceOf(WorkflowFailedError);
  return { cause: (result as WorkflowFailedError).cause, isFound };
}

it('raises a case that it opened, where every other step fails', async () => {
  const { cause, isFound } = await failureOf({
    resumeRedemptions: breaks,
    resumeTopups: breaks,
    askDue: breaks,
    checkInvariants: breaks,
  });
  // The case is found until it is settled; the run is not.
  expect(isFound).toBe(false);
  expect(cause).toMatchObject({ type: 'NeedsAction', message: OPENED });
});

it('ends with the failure of a step where nothing was found, and does all the others', async () => {
  const done: string[] = [];
  const { cause, isFound } = await failureOf({
    resumeRedemptions: breaks,
    resumeTopups: async () => done.push('resumeTopups'),
    openCases: async () => [],
    checkInvariants: async () => {
      done.push('checkInvariants');
      return [];
    },
  });
  expect(cause).toBeInstanceOf(ActivityFailure);
  expect(isFound).toBe(false);
  expect(done).toEqual(['resumeTopups', 'checkInvariants']);
});

it('names every failure where several steps fail', async () => {
  const { cause } = await failureOf({
    resumeRedemptions: breaks,
    checkInvariants: async () => {
      throw ApplicationFailure.nonRetryable('no right to the books');
    },
    openCases: async () => [],
  });
  expect(cause).toMatchObject({
    type: 'StepsFailed',
    message:
      '2 steps failed\nresumeRedemptions: broken for good\ncheckInvariants: no right to the books',
  });
});

it('is not red because the database was away for a moment while the books were checked', async () => {
  let tries = 0;
  const checkInvariants = async () => {
    tries += 1;
    if (tries <= 2) throw new Error('connect ECONNREFUSED');
    return [];
  };
  const { result } = await runOn({ openCases: async () => [], checkInvariants });
  expect(result).toEqual({ resumedPayments: 0, resumedTopups: 0, rechecked: 2 });
  expect(tries).toBe(3);
});

it('goes on with all its steps until nothing is due', async () => {
  const done: string[] = [];
  let batches = 0;
  const { result } = await runOn({
    resumeTopups: async () => done.push('resumeTopups') && 1,
    askDue: async () => {
      batches += 1;
      return { asked: 100, isMore: batches < 3 };
    },
    openCases: async () => [],
  });
  expect(result).toEqual({ resumedPayments: 0, resumedTopups: 3, rechecked: 300 });
  expect(done).toHaveLength(3);
});
