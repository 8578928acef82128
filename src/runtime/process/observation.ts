import type { DestinationStream, Logger } from 'pino';
import type { Config } from '../../config/config.ts';
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
  { process, observation }: Pick<Config, 'process' | 'observation'>,
  processName: string,
  destination?: DestinationStream,
): Promise<Observability> {
  const logger = createLogger(process.logLevel, processName, destination);
  const { metricsHost: host, metricsPort: port } = observation;
  const stopTracing = await startTraces(observation, logger, processName);
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

/** Loads and starts traces where there is a collector; the result ends them. */
async function startTraces(
  settings: Config['observation'],
  logger: Logger,
  processName: string,
): Promise<() => Promise<void>> {
  const { otelExporterOtlpEndpoint: endpoint } = settings;
  if (endpoint === undefined) return async () => {};
  const { startTracing } = await import('../tracing/tracer.ts');
  return startTracing({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: settings.otelExporterOtlpHeaders,
    resource: {
      'service.name': 'voucher-topup-service',
      ...settings.otelResourceAttributes,
      'process.type': processName,
    },
    sampler: settings.otelTracesSampler,
    ratio: settings.otelTracesSamplerArg,
    delayMs: settings.otelBspScheduleDelay,
    warn: (what, message) => logger.warn(what, message),
  });
}
