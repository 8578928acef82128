import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type ConnectionOptions, connectDatabase, poolUseOf } from '../db/connection.ts';
import type { Metrics } from '../process/metrics/metrics.ts';
import { showPoolUse } from '../process/metrics/pool-use.ts';

/** The database, and the replica for the whole check of the books, if there is one. */
export function connectDatabases(
  config: Config,
  {
    logger,
    metrics,
    onConnect,
  }: Required<Pick<ConnectionOptions, 'onConnect'>> & {
    readonly logger: Logger;
    readonly metrics: Metrics;
  },
) {
  const onIdleError = (error: Error) => logger.warn({ error: error.name }, 'A connection broke');
  const { DATABASE_URL: url, DATABASE_READ_URL: readUrl, DATABASE_POOL_SIZE: poolSize } = config;
  const database = connectDatabase(url, { poolSize, onIdleError, onConnect });
  metrics.beforeScrape(() => showPoolUse(metrics, 'worker', poolUseOf(database)));
  return {
    database,
    ...(readUrl ? { readDatabase: connectDatabase(readUrl, { poolSize: 1, onIdleError }) } : {}),
  };
}
