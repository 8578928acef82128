import type { DestinationStream, Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { tracingSettings } from '../../config/settings/process-settings.ts';
import { createMetrics, type Metrics, noMetrics } from '../metrics/metrics.ts';
import { createSdkMetrics, startMetricsServer } from '../metrics/sdk-metrics.ts';
import { createLogger, installTemporalRuntime } from './logger.ts';

/** What a process tells of itself. */
export interface Observability {
  readonly logger: Logger;
  /** Those of nothing without `METRICS_PORT`. */
  readonly metrics: Metrics;
  /** Where metrics are served; undefined without `METRICS_PORT`. */
  readonly metricsPort: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts logs, metrics and traces of a process, and installs the runtime of Temporal's SDK. Call it once per
 * process, before the first connection to Temporal.
 */
export async function startObservation(
  config: Pick<Config, 'LOG_LEVEL' | 'METRICS_HOST' | 'METRICS_PORT' | TracingSetting>,
  processName: string,
  destination?: DestinationStream,
): Promise<Observability> {
  const logger = createLogger(config.LOG_LEVEL, processName, destination);
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  const stopTracing = await startTraces(config, logger, processName);
  if (port === undefined) {
    installTemporalRuntime(logger);
    return { logger, metrics: noMetrics, metricsPort: undefined, stop: stopTracing };
  }
  const sdk = await createSdkMetrics();
  installTemporalRuntime(logger, sdk.exporter);
  const metrics = createMetrics();
  const server = await startMetricsServer(metrics, sdk, { host, port, logger });
  return {
    logger,
    metrics,
    metricsPort: server.port,
    async stop() {
      await server.stop();
      await stopTracing();
    },
  };
}

type TracingSetting = keyof typeof tracingSettings;

/** Loads and starts traces where there is a collector; the result ends them. */
async function startTraces(
  config: Pick<Config, TracingSetting>,
  logger: Logger,
  processName: string,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return async () => {};
  const { startTracing } = await import('../tracing/tracer.ts');
  return startTracing({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: {
      'service.name': 'voucher-topup-service',
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      'process.type': processName,
    },
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    warn: (what, message) => logger.warn(what, message),
  });
}
