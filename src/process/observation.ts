import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { createLogger, installTemporalRuntime } from './logger.js';
import { createMetrics, type Metrics, noMetrics } from './metrics/metrics.js';
import { startMetricsServer } from './metrics/metrics-server.js';
import { createSdkMetrics } from './metrics/sdk-metrics.js';

/** What a process tells of itself. */
export interface Observation {
  readonly logger: Logger;
  /** Those of nothing without `METRICS_PORT`. */
  readonly metrics: Metrics;
  /** Where metrics are served; undefined without `METRICS_PORT`. */
  readonly metricsPort: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts logs and metrics of a process, and installs the runtime of Temporal's SDK. Call it once per
 * process, before the first connection to Temporal.
 */
export async function startObservation(
  config: Pick<Config, 'LOG_LEVEL' | 'METRICS_HOST' | 'METRICS_PORT'>,
  processName: string,
): Promise<Observation> {
  const logger = createLogger(config.LOG_LEVEL, processName);
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === undefined) {
    installTemporalRuntime(logger);
    return { logger, metrics: noMetrics, metricsPort: undefined, stop: async () => {} };
  }
  const sdk = await createSdkMetrics();
  installTemporalRuntime(logger, sdk.exporter);
  const metrics = createMetrics();
  const server = await startMetricsServer(metrics, sdk, { host, port, logger });
  return { logger, metrics, metricsPort: server.port, stop: server.stop };
}
