import { type RunningApi, startApi } from './api.ts';
import { type ApiConfig, readApiConfig } from './config/config.ts';
import { isMainModule, runProcess } from './runtime/process/background-tasks.ts';
import { type Observability, startObservation } from './runtime/process/observation.ts';
import { connectBySettings } from './runtime/temporal/connection.ts';
import { type RunningWorker, startWorker } from './worker.ts';

export interface RunningService {
  readonly api: RunningApi;
  /** Settles when the worker has stopped; rejects where it failed by itself. */
  readonly ended: RunningWorker['ended'];
  /** Answers and completes what is under way, then closes all connections. */
  stop(): Promise<void>;
}

/**
 * Starts API and worker in one process on one connection to Temporal, so that workflows start at once
 * (eagerly) where workers have no versions.
 */
export async function startService(
  config: ApiConfig,
  { logger, metrics }: Observability,
): Promise<RunningService> {
  const temporal = await connectBySettings(config);
  // Each half has the rights, and the connections, of its own role.
  const { database } = config;
  const { workerDatabaseUrl: databaseUrl = database.databaseUrl } = database;
  const workerConfig = { ...config, database: { ...database, databaseUrl } };
  const worker = await startWorker(workerConfig, temporal, { logger, metrics });
  const api = await startApi(config, temporal, {
    logger,
    metrics,
    // An eager start ignores the current version.
    eager: config.temporal.temporalBuildId === undefined,
    checks: { worker: worker.requirePolling },
  });
  return {
    api,
    ended: worker.ended,
    async stop() {
      await api.stop();
      await worker.stop();
      await temporal.connection.close();
    },
  };
}

if (isMainModule(import.meta.url)) {
  await runProcess(async () => {
    const config = readApiConfig();
    const observation = await startObservation(config, 'service');
    const { logger, metricsPort } = observation;
    const service = await startService(config, observation);
    logger.info({ port: service.api.port, metricsPort }, 'Service is running');
    return {
      logger,
      ended: service.ended,
      async stop() {
        await service.stop();
        await observation.stop();
      },
    };
  });
}
