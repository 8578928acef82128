import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { Activities } from '../../activities/index.ts';
import { readPayloadKeys } from '../../src/config/config.ts';
import { connectTemporal, type TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import { createWorker } from '../../src/runtime/worker/workflow-threads/create-worker.ts';
import { TEST_PAYLOAD_KEYS } from '../workflows/payload-keys.ts';

/** A connection of its own to the Temporal server of the tests. */
export const connectTestTemporal = (): Promise<TemporalConnection> =>
  connectTemporal({
    address: inject('temporalAddress'),
    namespace: 'default',
    payloadKeys: readPayloadKeys(TEST_PAYLOAD_KEYS),
  });

/** `default` stands for all activities that are not given. */
type StandIns = {
  readonly [Name in keyof Activities | 'default']?: (...input: never[]) => Promise<unknown>;
};

/** Starts a worker that runs workflows of the product on the given activities, on a task queue of their own. */
async function startWorkflowWorker(temporal: TemporalConnection, activities: StandIns) {
  const { connection, namespace, dataConverter } = temporal;
  const taskQueue = `test-${randomUUID()}`;
  const worker = await createWorker({
    connection,
    namespace,
    dataConverter,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundlePath') },
    activities,
  });
  const ended = worker.run();
  return {
    taskQueue,
    async stop(): Promise<void> {
      worker.shutdown();
      await ended;
    },
  };
}

/** Starts such a worker once for several tests: each of its activities is the one that was set last. */
export async function startStepWorker<Steps extends StandIns>(
  temporal: TemporalConnection,
  names: readonly (keyof Steps & string)[],
) {
  let steps: Partial<Steps> = {};
  const asSet =
    (name: keyof Steps) =>
    async (...input: never[]) => {
      const step = steps[name];
      if (!step) throw new Error(`No test has set ${String(name)}`);
      return (step as (...given: never[]) => Promise<unknown>)(...input);
    };
  const activities = Object.fromEntries(names.map((name) => [name, asSet(name)]));
  const worker = await startWorkflowWorker(temporal, activities);
  return {
    ...worker,
    set(next: Partial<Steps>): void {
      steps = next;
    },
  };
}

/** Starts such a worker for as long as `use` runs. */
export async function withWorkflowWorker<Result>(
  temporal: TemporalConnection,
  activities: StandIns,
  use: (taskQueue: string) => Promise<Result>,
): Promise<Result> {
  const worker = await startWorkflowWorker(temporal, activities);
  try {
    return await use(worker.taskQueue);
  } finally {
    await worker.stop();
  }
}
