import { type ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { ActivityDependencies } from '../../activities/dependencies.js';
import type { Activities } from '../../activities/index.js';
import { webhookTaskQueue } from '../../workflows/workflow-ids.js';
import type { Config } from '../config/config.js';
import type { Metrics } from '../process/metrics/metrics.js';
import { createWebhookCaller } from '../providers/webhooks/webhook-caller.js';
import type { TemporalConnection } from '../temporal/connection.js';
import { workerVersionOptions } from '../temporal/worker-version.js';
import { observedWebhooks } from './observe-calls.js';

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
    callsPerEndpoint: config.WEBHOOK_CALLS_PER_ENDPOINT,
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
    maxConcurrentActivityTaskExecutions: config.WEBHOOK_ENDPOINTS_AT_ONCE,
    shutdownGraceTime: '15s',
    shutdownForceTime: '25s',
    ...workerVersionOptions(config),
  });
