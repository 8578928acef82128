import { type ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import type { Activities } from '../../activities/index.ts';
import { webhookTaskQueue } from '../../workflows/workflow-ids.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../process/metrics/metrics.ts';
import { createWebhookCaller } from '../providers/webhooks/webhook-caller.ts';
import type { TemporalConnection } from '../temporal/connection.ts';
import { workerVersionOptions } from '../temporal/worker-version.ts';
import { observedWebhooks } from './observe-calls.ts';

/** Concurrent calls to one receiver. */
const CALLS_PER_ENDPOINT = 4;
/** Receivers that one worker calls at the same time. */
const ENDPOINTS_AT_ONCE = 100;

/** What the activities of webhooks need, from the settings. */
export const webhookDependencies = (
  config: Config,
  metrics: Metrics,
): Pick<ActivityDependencies, 'webhookCaller' | 'webhooks'> => ({
  webhookCaller: observedWebhooks(
    createWebhookCaller({
      dnsServers: config.DNS_SERVERS,
      timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1_000,
      allowsPrivate: config.WEBHOOK_PRIVATE_NETWORKS === 'on',
    }),
    metrics,
  ),
  webhooks: {
    callsPerEndpoint: CALLS_PER_ENDPOINT,
    switchOffSeconds: config.WEBHOOK_SWITCH_OFF_SECONDS,
    firstPauseSeconds: config.WEBHOOK_FIRST_PAUSE_SECONDS,
    longestPauseSeconds: config.WEBHOOK_LONGEST_PAUSE_SECONDS,
  },
});

/**
 * The worker of the calls to receivers: activities only, on a task queue of its own, so that receivers
 * which hang take no places of payments and messages.
 */
export const createWebhookWorker = (
  config: Config,
  temporal: TemporalConnection,
  { deliverDue, tellSwitchedOff }: Activities,
  activityGuards: readonly ActivityInterceptorsFactory[],
): Promise<Worker> =>
  Worker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    dataConverter: temporal.dataConverter,
    taskQueue: webhookTaskQueue(config.TEMPORAL_TASK_QUEUE),
    activities: { deliverDue, tellSwitchedOff },
    interceptors: { activity: [...activityGuards] },
    maxConcurrentActivityTaskExecutions: ENDPOINTS_AT_ONCE,
    shutdownGraceTime: '15s',
    shutdownForceTime: '25s',
    ...workerVersionOptions(config),
  });
