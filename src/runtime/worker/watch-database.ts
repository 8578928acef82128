import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../../config/config.ts';
import { connectDatabase, type Database } from '../../db/connection.ts';
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
 *
 * @throws {ConfigError} where the address leads to a pooler, and its login has no limits
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
  await requireLimits(database);
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

/**
 * A pooler ignores the limits that a connection asks for. Without them a statement may last for ever, and a transfer
 * may appear in a day whose books are closed.
 */
async function requireLimits(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string; login: string }>`
    select name, current_user as login from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout') and setting = '0'
    order by name`
    .execute(database)
    // The health tells of a server that is away.
    .catch(() => ({ rows: [] }));
  const [first] = rows;
  if (!first) return;
  await database.destroy();
  const names = rows.map(({ name }) => name).join(' and ');
  throw new ConfigError(
    `The connections of DATABASE_URL have no ${names}: a pooler ignores the limits of the service. ` +
      `Give them to the login ${first.login} with "alter role … set", or connect to PostgreSQL itself.`,
  );
}
