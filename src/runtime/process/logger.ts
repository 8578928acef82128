import type { LogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/common';
import { type MetricsExporterConfig, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import pg from 'pg';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config/config.ts';

/** An error for the log. It omits PostgreSQL's own texts, which can contain values of a row. */
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof pg.DatabaseError)
    return { error: 'DatabaseError', code: error.code, constraint: error.constraint };
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    errorMessage: error.message,
    stack: error.stack,
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}

/**
 * JSON lines on standard output, or to another receiver. They never contain codes, keys, tokens or
 * phone numbers.
 */
export const createLogger = (
  level: Config['process']['logLevel'],
  process_: string,
  destination?: DestinationStream,
): Logger => {
  const options = { level, base: { process: process_ } };
  return destination ? pino(options, destination) : pino(options);
};

/**
 * Routes the logs of Temporal's SDK through ours and disables its signal handlers: a process first
 * answers its callers, then stops its worker. `metrics` are where the SDK serves its own. Call it once
 * per process, before the first connection.
 */
export function installTemporalRuntime(logger: Logger, metrics?: MetricsExporterConfig): void {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: LogMetadata) =>
      logger[isMeant(message) ? 'debug' : level](withoutRawError(meta), message);
  // At this level the SDK writes whole activations: the inputs of workflows, decrypted, in base64.
  const trace = () => undefined;
  const temporalLogger: TemporalLogger = {
    log: (level: LogLevel, message: string, meta?: LogMetadata) =>
      level === 'TRACE' ? trace() : write(level.toLowerCase() as 'info')(message, meta),
    trace,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  Runtime.install({
    logger: temporalLogger,
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metrics && { metrics }),
    },
  });
}

/** A warning of the SDK about a worker of activities alone, which is intended. */
const isMeant = (message: string): boolean => message.startsWith('No workflows registered');

/** The SDK logs raw errors, and those of PostgreSQL contain values of rows. */
const withoutRawError = ({ error, ...meta }: LogMetadata = {}): Record<string, unknown> =>
  error === undefined ? meta : { ...meta, ...describeError(error) };
