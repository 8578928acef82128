import { type ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import type { Activities } from '../../../activities/index.ts';
import { webhookTaskQueue } from '../../../workflows/workflow-ids.ts';
import type { Config } from '../../config/config.ts';
import {
  type ConnectionOptions,
  connectDatabase,
  type Database,
  poolUseOf,
} from '../../db/connection.ts';
import { recordDeliveryReport } from '../../db/messages/delivery-reports.ts';
import type { FenceWatch } from '../../db/recovery.ts';
import { smppOfSettings } from '../../providers/of-settings.ts';
import type { SmppSender } from '../../providers/sms/smpp/client.ts';
import { createWebhookCaller } from '../../providers/webhook-caller.ts';
import { type Metrics, showPoolUse } from '../metrics/metrics.ts';
import {
  answerHealth,
  type Health,
  type SmallServer,
  startSmallServer,
} from '../process/health.ts';
import type { TemporalConnection } from '../temporal/connection.ts';
import { traceSinks } from '../temporal/interceptors.ts';
import { workerVersionOptions } from '../temporal/worker-version.ts';
import {
  preloadedModules,
  workflowInterceptorModules,
  workflowsPath,
} from '../temporal/workflow-bundle.ts';
import { tellCodeDelivery } from '../temporal/workflow-starts.ts';
import { observedWebhooks } from './observed-providers.ts';
import { createWorker } from './workflow-threads/create-worker.ts';

/** Tuned for two cores. Most work is new workflows, which arrive on the non-sticky queue. */
export const workerTuning = ({ providerCalls }: Config['providerGuard']) => ({
  nonStickyToStickyPollRatio: 0.5,
  maxCachedWorkflows: 400,
  // A claim waits in its task for the SMS provider, which must keep no redemption waiting.
  maxConcurrentWorkflowTaskExecutions: 100,
  maxConcurrentLocalActivityExecutions: 100,
  // Several times the calls that one provider may keep waiting.
  maxConcurrentActivityTaskExecutions: Math.max(100, 4 * providerCalls),
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
    taskQueue: config.temporal.temporalTaskQueue,
    activities,
    // A bundle already contains them.
    ...(config.temporal.workflowBundle !== undefined
      ? {
          workflowBundle: { codePath: config.temporal.workflowBundle },
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
    sinks: { ...traceSinks, ...temporal.answers.sinks },
    ...workerTuning(config.providerGuard),
    ...workerVersionOptions(config.temporal),
  });

/** The database, and the replica for the whole check of the books, if there is one. */
export function connectDatabases(
  settings: Config['database'],
  {
    logger,
    metrics,
    onConnect,
  }: Required<Pick<ConnectionOptions, 'onConnect'>> & {
    readonly logger: Logger;
    readonly metrics: Metrics;
  },
) {
  const onIdleError = (error: Error) =>
    logger.warn({ error: error.name }, 'A database connection broke');
  const { databaseUrl, databaseReadUrl, databasePoolSize: poolSize } = settings;
  const database = connectDatabase(databaseUrl, { poolSize, onIdleError, onConnect });
  metrics.beforeScrape(() => showPoolUse(metrics, 'worker', poolUseOf(database)));
  return {
    database,
    ...(databaseReadUrl && {
      readDatabase: connectDatabase(databaseReadUrl, { poolSize: 1, onIdleError }),
    }),
  };
}

/** Answers the health of a worker, which has no other server. */
export const startHealthServer = (
  readReport: Health['read'],
  options: Parameters<typeof startSmallServer>[1],
): Promise<SmallServer> =>
  startSmallServer(
    answerHealth(readReport, (_request, response) => response.writeHead(404).end()),
    options,
  );

/** Receivers that one worker calls at the same time. */
const ENDPOINTS_AT_ONCE = 100;

/** The caller of receivers. */
export const webhookCallerOf = (
  { access, webhooks }: Pick<Config, 'access' | 'webhooks'>,
  metrics: Metrics,
): ActivityDependencies['webhookCaller'] =>
  observedWebhooks(
    createWebhookCaller({
      dnsServers: access.dnsServers,
      timeoutMs: webhooks.webhookTimeoutSeconds * 1_000,
      allowsPrivate: webhooks.webhookPrivateNetworks === 'on',
    }),
    metrics,
  );

/**
 * The worker of the calls to receivers: activities only, on a task queue of its own, so that receivers
 * which hang take no places of payments and messages.
 */
export const createWebhookWorker = (
  config: Config,
  temporal: TemporalConnection,
  { deliverDue }: Activities,
  activityGuards: readonly ActivityInterceptorsFactory[],
): Promise<Worker> =>
  Worker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    dataConverter: temporal.dataConverter,
    taskQueue: webhookTaskQueue(config.temporal.temporalTaskQueue),
    activities: { deliverDue },
    interceptors: { activity: [...activityGuards] },
    maxConcurrentActivityTaskExecutions: ENDPOINTS_AT_ONCE,
    shutdownGraceTime: '15s',
    shutdownForceTime: '25s',
    ...workerVersionOptions(config.temporal),
  });

/**
 * The session of this worker with the SMSC; undefined where none is configured. It opens with the
 * worker, so that receipts arrive, and an SMSC that is away does not keep the worker from starting.
 */
export function startSmppSession(
  config: Config,
  { client }: TemporalConnection,
  shared: {
    readonly database: Database;
    readonly fence: Pick<FenceWatch, 'isFenced'>;
    readonly logger: Logger;
  },
): SmppSender | undefined {
  const { database, fence, logger } = shared;
  let wasLost = false;
  const sender = smppOfSettings(config, {
    async record(report) {
      if (fence.isFenced()) throw new Error('The database is being recovered');
      const code = await recordDeliveryReport(database, report);
      if (code) await tellCodeDelivery(client, code);
    },
    note(event, reason) {
      if (event === 'bound') logger.info('The session with the SMSC is open');
      else if (event === 'unrecorded')
        logger.warn({ reason }, 'A receipt was not recorded: the SMSC sends it again');
      // Logged once, not with each try during an outage.
      else if (!wasLost) logger.warn({ reason }, 'There is no session with the SMSC');
      wasLost = event === 'lost' || (wasLost && event !== 'bound');
    },
  });
  sender?.open();
  return sender;
}
