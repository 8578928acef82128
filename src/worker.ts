import { fileURLToPath } from 'node:url';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type Activities, createActivities } from '../activities/index.js';
import { type Config, publicUrlOf, readConfig } from './config/config.js';
import { createDigests } from './crypto/digests.js';
import { createSecretBox } from './crypto/secret-box.js';
import { connectDatabase } from './db/connection.js';
import { describeError } from './process/describe-error.js';
import { createFailpoint, type Failpoint } from './process/failpoint.js';
import { createLogger, installTemporalRuntime } from './process/logger.js';
import { isMainModule, runProcess } from './process/termination.js';
import {
  createAirtime,
  createEmailSender,
  createMobileMoney,
  createOperatorLookup,
  createSmsSender,
} from './providers/registry.js';
import { createCaseStarter } from './temporal/case-starter.js';
import { connectTemporal, type TemporalConnection } from './temporal/connection.js';
import { guardActivities } from './temporal/guard-activities.js';
import { createResumption } from './temporal/resumption.js';
import { temporalServerOf } from './temporal/temporal-server.js';
import { workflowInterceptorModules } from './temporal/workflow-bundle.js';
import { workflowTiming } from './temporal/workflow-timing.js';
import { activityLimits } from './worker/activity-limits.js';
import { createInvitationPickup } from './worker/invitation-pickup.js';
import { createRetryPickup } from './worker/retry-pickup.js';
import { startTemporalUpkeep } from './worker/temporal-upkeep.js';

export interface RunningWorker {
  /** Settles when the worker has stopped; rejects where it failed by itself. */
  readonly ended: Promise<void>;
  /** Completes running work and closes the database connections. */
  stop(): Promise<void>;
}

/** Tuned for two cores. Most work is new workflows, which arrive on the non-sticky queue. */
export const workerTuning = {
  nonStickyToStickyPollRatio: 0.5,
  maxCachedWorkflows: 400,
  maxConcurrentLocalActivityExecutions: 50,
  maxConcurrentActivityTaskExecutions: 50,
  stickyQueueScheduleToStartTimeout: '2s',
  shutdownGraceTime: '15s',
  shutdownForceTime: '25s',
} as const;

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/**
 * The SDK's worker with our activities, workflows and the interceptors that refuse foreign
 * commands.
 */
const createWorker = (
  config: Config,
  temporal: TemporalConnection,
  activities: Activities,
  workflowBundle: WorkflowBundleOption | undefined,
): Promise<Worker> =>
  Worker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    dataConverter: temporal.dataConverter,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    activities,
    // A bundle already contains them.
    ...(workflowBundle
      ? {
          workflowBundle,
          interceptors: { activity: [guardActivities] },
        }
      : {
          workflowsPath,
          interceptors: {
            activity: [guardActivities],
            workflowModules: workflowInterceptorModules,
          },
        }),
    ...workerTuning,
  });

/**
 * Starts the worker of all workflows and activities, and the background tasks that start workflows.
 */
export async function startWorker(
  config: Config,
  temporal: TemporalConnection,
  options: {
    readonly logger: Logger;
    readonly workflowBundle?: WorkflowBundleOption;
    /** Overrides the failpoint of the settings. */
    readonly failpoint?: Failpoint;
  },
): Promise<RunningWorker> {
  const database = connectDatabase(config.DATABASE_URL, {
    poolSize: config.DATABASE_POOL_SIZE,
    onIdleError: (error) => options.logger.warn({ error: error.name }, 'A connection broke'),
  });
  const digests = createDigests(config.DIGEST_KEY);
  const activities = createActivities({
    database,
    digests,
    secretBox: createSecretBox(config.DATA_KEYS),
    smsSender: createSmsSender(config),
    emailSender: createEmailSender(config),
    publicUrl: publicUrlOf(config),
    mobileMoney: createMobileMoney(config),
    airtime: createAirtime(config),
    operatorLookup: createOperatorLookup(),
    failpoint: options.failpoint ?? createFailpoint(config.FAILPOINT),
    resumption: createResumption({
      client: temporal.client,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      timing: workflowTiming(config),
    }),
    caseStarter: createCaseStarter({
      client: temporal.client,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      intervalMs: config.RECONCILE_INTERVAL_SECONDS * 1_000,
    }),
    limits: activityLimits(config),
  });
  const upkeep = await startTemporalUpkeep(temporal, {
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    sweepIntervalSeconds: config.EXPIRY_SWEEP_INTERVAL_SECONDS,
    reconcileIntervalSeconds: config.RECONCILE_INTERVAL_SECONDS,
    intervalMs: config.TEMPORAL_UPKEEP_SECONDS * 1_000,
    logger: options.logger,
  });
  const worker = await createWorker(config, temporal, activities, options.workflowBundle);
  const pickup = createInvitationPickup({
    database,
    logger: options.logger,
    client: temporal.client,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    lifetimeMs: config.INVITATION_LIFETIME_SECONDS * 1_000,
    intervalMs: config.INVITATION_PICKUP_SECONDS * 1_000,
  });
  const retries = createRetryPickup({
    database,
    digests,
    logger: options.logger,
    client: temporal.client,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    timing: workflowTiming(config),
    intervalMs: config.INVITATION_PICKUP_SECONDS * 1_000,
  });
  const ended = worker.run();
  // `stop` awaits this promise; until then a failure must still be logged.
  ended.catch((error) => options.logger.error(describeError(error), 'The worker failed'));
  return {
    ended,
    async stop() {
      await Promise.all([pickup.stop(), retries.stop(), upkeep.stop()]);
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.finally(() => database.destroy());
    },
  };
}

if (isMainModule(import.meta.url)) {
  await runProcess(async () => {
    const config = readConfig();
    const logger = createLogger(config.LOG_LEVEL, 'worker');
    installTemporalRuntime(logger);
    const temporal = await connectTemporal({
      ...temporalServerOf(config),
      payloadKeys: config.PAYLOAD_KEYS,
    });
    const worker = await startWorker(config, temporal, { logger });
    logger.info('Worker is running');
    return {
      ended: worker.ended,
      async stop() {
        await worker.stop();
        await temporal.connection.close();
      },
    };
  });
}
