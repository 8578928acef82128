import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import type { TemporalConnection } from '../../src/temporal/connection.js';
import { workerTuning } from '../../src/worker.js';
import { providerMilliseconds } from './slow-provider.js';

const bareActivities = {
  doNothing: async (): Promise<void> => undefined,
  waitLikeProvider: (): Promise<void> => sleep(providerMilliseconds),
};

export type BareActivities = typeof bareActivities;

/** The task queue of the bare workflows beside the service's own. */
export const bareTaskQueue = (serviceTaskQueue: string): string => `${serviceTaskQueue}-bare`;

/** Starts a worker for bare workflows, with the settings of the service's worker. */
export async function startBareWorker(
  temporal: TemporalConnection,
  options: { readonly taskQueue: string; readonly workflowBundlePath: string },
): Promise<{ stop(): Promise<void> }> {
  const worker = await Worker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    dataConverter: temporal.dataConverter,
    taskQueue: bareTaskQueue(options.taskQueue),
    activities: bareActivities,
    workflowBundle: { codePath: options.workflowBundlePath },
    ...workerTuning,
  });
  const ended = worker.run();
  // A worker that fails leaves its calls unanswered, and the load generator reports that.
  ended.catch(() => undefined);
  return {
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}
