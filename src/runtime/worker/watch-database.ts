import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { connectDatabase } from '../../db/connection.ts';
import { requireCurrentSchema } from '../../db/migrate.ts';
import { type FenceWatch, watchFence } from '../../db/recovery.ts';
import { type Metrics, showClock } from '../metrics/metrics.ts';

/** A server that has vanished without a word gives no answer. */
const ANSWER_LIMIT_MS = 5_000;
/** A connection to a server that was replaced does not stay for ever. */
const MAXIMUM_AGE_SECONDS = 60;

export interface DatabaseWatch {
  readonly fence: FenceWatch;
  /** @throws where the database does not answer, or lacks a migration */
  requireHealth(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Watches the database of a process over one connection for this alone: neither its health nor the fence
 * depends on how many requests are under way.
 */
export async function watchDatabase(
  settings: Pick<
    Config['database'],
    'databaseUrl' | 'fenceCheckSeconds' | 'synchronousReplication'
  >,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<DatabaseWatch> {
  const database = connectDatabase(settings.databaseUrl, {
    poolSize: 1,
    answerTimeoutMs: ANSWER_LIMIT_MS,
    maximumAgeSeconds: MAXIMUM_AGE_SECONDS,
  });
  const fence = await watchFence(database, {
    intervalMs: settings.fenceCheckSeconds * 1_000,
    isSynchronous: settings.synchronousReplication === 'yes',
    noteClock: showClock(metrics),
    noteNewTimeline: ({ timeline, acceptedTimeline }) =>
      logger.error(
        { timeline, acceptedTimeline },
        'PostgreSQL was promoted or restored: nothing is changed or sent until an operator lifts the fence',
      ),
  });
  return {
    fence,
    requireHealth: () => requireCurrentSchema(database),
    async stop() {
      fence.stop();
      await database.destroy();
    },
  };
}
