import type { ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import type { Config } from '../config/config.ts';
import type { TemporalConnection } from '../temporal/connection.ts';
import { traceSinks } from '../temporal/tracing/trace-sinks.ts';
import { workerVersionOptions } from '../temporal/worker-version.ts';
import {
  preloadedModules,
  workflowInterceptorModules,
  workflowsPath,
} from '../temporal/workflow-bundle.ts';
import { createWorker } from './workflow-threads/create-worker.ts';

/** Tuned for two cores. Most work is new workflows, which arrive on the non-sticky queue. */
export const workerTuning = ({ PROVIDER_CALLS }: Pick<Config, 'PROVIDER_CALLS'>) => ({
  nonStickyToStickyPollRatio: 0.5,
  maxCachedWorkflows: 400,
  // A claim waits in its task for the SMS provider, which must keep no redemption waiting.
  maxConcurrentWorkflowTaskExecutions: 100,
  maxConcurrentLocalActivityExecutions: 100,
  // Several times the calls that one provider may keep waiting.
  maxConcurrentActivityTaskExecutions: Math.max(100, 4 * PROVIDER_CALLS),
  stickyQueueScheduleToStartTimeout: '2s' as const,
  shutdownGraceTime: '15s' as const,
  shutdownForceTime: '25s' as const,
});

/**
 * The SDK's worker with our activities, workflows and the interceptors that refuse foreign
 * commands.
 */
export const createMainWorker = (
  config: Config,
  temporal: TemporalConnection,
  activities: Activities,
  activityGuards: readonly ActivityInterceptorsFactory[],
): Promise<Worker> =>
  createWorker({
    connection: temporal.connection,
    namespace: temporal.namespace,
    dataConverter: temporal.dataConverter,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    activities,
    // A bundle already contains them.
    ...(config.WORKFLOW_BUNDLE !== undefined
      ? {
          workflowBundle: { codePath: config.WORKFLOW_BUNDLE },
          interceptors: { activity: [...activityGuards] },
        }
      : {
          workflowsPath,
          bundlerOptions: { preloadModules: preloadedModules() },
          interceptors: {
            activity: [...activityGuards],
            workflowModules: workflowInterceptorModules,
          },
        }),
    sinks: traceSinks,
    ...workerTuning(config),
    ...workerVersionOptions(config),
  });
