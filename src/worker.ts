import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { BalanceAtProvider } from '../activities/compare-statement.ts';
import { createActivities } from '../activities/index.ts';
import { createMessageSender } from '../activities/messages.ts';
import { createOutbox, type Outbox } from '../activities/outbox/outbox.ts';
import { type Config, readConfig } from './config/config.ts';
import { createDigests } from './crypto/digests.ts';
import { createNumberBox } from './crypto/phone-numbers.ts';
import { createSecretBox } from './crypto/secret-box.ts';
import { type Database, isDefiniteDatabaseError } from './db/connection.ts';
import type { FenceWatch } from './db/recovery.ts';
import { isRowMissing } from './db/refused-rows.ts';
import { addMobilePrefixes } from './domain/phone.ts';
import { dayReportFiles, statementFiles } from './rendering/report-files.ts';
import { type Metrics, noMetrics } from './runtime/metrics/metrics.ts';
import {
  createBackgroundTasks,
  isMainModule,
  runProcess,
} from './runtime/process/background-tasks.ts';
import { createFailpoint, type Failpoint } from './runtime/process/failpoint.ts';
import { createHealth, type Health } from './runtime/process/health.ts';
import { describeError } from './runtime/process/logger.ts';
import { startObservation } from './runtime/process/observation.ts';
import {
  connectBySettings,
  requireNamespace,
  type TemporalConnection,
} from './runtime/temporal/connection.ts';
import {
  explainDatabaseErrors,
  guardActivities,
  guardFence,
  traceActivities,
} from './runtime/temporal/interceptors.ts';
import { createStarters } from './runtime/temporal/starters.ts';
import { workflowTiming } from './runtime/temporal/workflow-timing.ts';
import { tracing } from './runtime/tracing/tracing.ts';
import { startEventNumbering } from './runtime/worker/background/event-numbering.ts';
import { startOutbox } from './runtime/worker/background/outbox.ts';
import { createRepairPickup } from './runtime/worker/background/repair-pickup.ts';
import type { Repetition } from './runtime/worker/background/repeat.ts';
import { tellProviderStates } from './runtime/worker/background/tell-provider-states.ts';
import { startTemporalUpkeep } from './runtime/worker/background/temporal-upkeep.ts';
import { startWebhookDispatch } from './runtime/worker/background/webhook-dispatch.ts';
import {
  connectDatabases,
  createMainWorker,
  createWebhookWorker,
  startHealthServer,
  startSmppSession,
  webhookCallerOf,
} from './runtime/worker/main-worker.ts';
import { createProviders } from './runtime/worker/observed-providers.ts';
import { stateMetrics } from './runtime/worker/state-metrics.ts';
import { watchDatabase } from './runtime/worker/watch-database.ts';

export interface RunningWorker {
  /** Whether its workers poll, and what they need answers. */
  readonly readHealth: Health['read'];
  /** @throws where one of its workers has stopped polling */
  requirePolling(): void;
  /** Settles when the worker has stopped; rejects where it failed by itself. */
  readonly ended: Promise<void>;
  /** Completes running work and closes the database connections. */
  stop(): Promise<void>;
}

/**
 * Starts the worker of all workflows and activities, and the background tasks that start workflows.
 */
export async function startWorker(
  config: Config,
  temporal: TemporalConnection,
  options: {
    readonly logger: Logger;
    readonly metrics?: Metrics;
    /** Overrides the failpoint of the settings. */
    readonly failpoint?: Failpoint;
  },
): Promise<RunningWorker> {
  const { logger, metrics = noMetrics } = options;
  addMobilePrefixes(config.market.mobilePrefixes);
  const { fence, ...watch } = await watchDatabase(config.database, { logger, metrics });
  const databases = connectDatabases(config.database, { logger, metrics, onConnect: fence.lookOn });
  const { database } = databases;
  const digests = createDigests(config.secrets);
  const numbers = createNumberBox(config.secrets);
  const background = createBackgroundTasks(() => !fence.isFenced());
  const smpp = startSmppSession(config, temporal, { database, fence, logger });
  const { readProviderStates: readStates, ...providers } = createProviders(config, {
    database,
    smpp,
    metrics,
    logger,
  });
  const dependencies = {
    ...databases,
    digests,
    secretBox: createSecretBox(config.secrets.dataKeys),
    numbers,
    ...providers,
    statementFiles,
    dayReportFiles,
    failpoint: options.failpoint ?? createFailpoint(config.process.failpoint),
    background,
    starters: createStarters({
      client: temporal.client,
      taskQueue: config.temporal.temporalTaskQueue,
      timing: workflowTiming(config),
      caseIntervalMs: config.schedules.reconcileIntervalSeconds * 1_000,
    }),
    webhookCaller: webhookCallerOf(config, metrics),
    settings: config,
  };
  const sender = createMessageSender(dependencies);
  const activities = createActivities(dependencies, sender);
  const upkeep = await startTemporalUpkeep(temporal, config, logger);
  const activityGuards = [
    ...(tracing() ? [traceActivities] : []),
    ...[guardActivities, guardFence(fence.isFenced)],
    explainDatabaseErrors({ isRefusal: isDefiniteDatabaseError, isRowMissing }),
  ];
  const workers = await Promise.all([
    createMainWorker(config, temporal, activities, activityGuards),
    createWebhookWorker(config, temporal, activities, activityGuards),
  ]);
  const shared = { database, numbers, logger, metrics, ...providers };
  const outbox = createOutbox(dependencies, sender, logger);
  const tasks = startTasks(config, temporal, { ...shared, fence, readStates, outbox });
  const ended = Promise.all(workers.map((worker) => worker.run())).then(() => undefined);
  // `stop` awaits this promise; until then a failure must still be logged.
  ended.catch((error) => logger.error(describeError(error), 'The worker failed'));
  const health = createHealth({
    database: watch.requireHealth,
    temporal: () => requireNamespace(temporal),
    worker: () => requirePolling(workers),
  });
  return {
    readHealth: health.read,
    requirePolling: () => requirePolling(workers),
    ended,
    async stop() {
      health.drain();
      await Promise.all([upkeep, ...tasks].map((task) => task.stop()));
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      try {
        await ended;
        await background.settled();
      } finally {
        await smpp?.close();
        await watch.stop();
        await Promise.all(Object.values(databases).map((one) => one.destroy()));
      }
    },
  };
}

/** @throws where a worker has stopped polling */
function requirePolling(workers: readonly Worker[]): void {
  const states = workers.map((worker) => worker.getState());
  if (states.some((state) => state !== 'RUNNING'))
    throw new Error(`A worker does not poll: ${states.join(', ')}`);
}

/** The background tasks of a worker that need only the database and Temporal's client. */
function startTasks(
  config: Config,
  { client }: TemporalConnection,
  shared: {
    readonly database: Database;
    readonly numbers: Parameters<typeof createRepairPickup>[0]['numbers'];
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly balanceAccounts: readonly BalanceAtProvider[];
    readonly readStates: Parameters<typeof tellProviderStates>[0]['readStates'];
    readonly outbox: Outbox;
    readonly fence: Pick<FenceWatch, 'isFenced'>;
  },
): Repetition[] {
  const taskQueue = config.temporal.temporalTaskQueue;
  const intervalMs = config.temporal.workerPickupSeconds * 1_000;
  const fenced = { ...shared, ...shared.fence, client, taskQueue };
  return [
    ...stateMetrics({ ...shared, client, settings: config }),
    startOutbox({ ...fenced, intervalMs }),
    createRepairPickup({
      ...fenced,
      intervalMs,
      timing: workflowTiming(config),
      publicUrl: config.http.publicUrl,
    }),
    tellProviderStates({
      ...shared,
      intervalMs: config.providerGuard.providerStateSeconds * 1_000,
    }),
    startEventNumbering({ ...fenced, intervalMs: config.webhooks.eventNumberingSeconds * 1_000 }),
    startWebhookDispatch({
      ...fenced,
      retrySeconds: config.webhooks.webhookRetrySeconds,
      intervalMs: config.webhooks.webhookDispatchSeconds * 1_000,
    }),
  ];
}

if (isMainModule(import.meta.url)) {
  await runProcess(async () => {
    const config = readConfig();
    const observation = await startObservation(config, 'worker');
    const { logger, metrics, metricsPort } = observation;
    const temporal = await connectBySettings(config);
    const worker = await startWorker(config, temporal, { logger, metrics });
    const { host } = config.http;
    const { workerHealthPort: port } = config.temporal;
    const health =
      port === undefined
        ? undefined
        : await startHealthServer(worker.readHealth, { host, port, logger });
    logger.info({ healthPort: health?.port, metricsPort }, 'Worker is running');
    return {
      logger,
      ended: worker.ended,
      async stop() {
        // It says until the end that the worker lives, and takes no more work.
        await worker.stop();
        await health?.stop();
        await observation.stop();
        await temporal.connection.close();
      },
    };
  });
}
