import type { Logger } from 'pino';
import type { TemporalConnection } from '../temporal/connection.js';
import { prepareNamespace } from '../temporal/prepare.js';
import { ensureSchedules, restoreSchedules, type ScheduleSettings } from '../temporal/schedules.js';
import { type Repetition, repeat } from './repeat.js';

/** The client has no time limit of its own. */
const LIMIT_MS = 30_000;

/**
 * Makes sure of what the service needs in Temporal besides its workflows: the namespace, the search
 * attributes and the Schedules. Once before the worker starts, and then every few minutes, since a
 * Temporal server that was emptied or restored lacks them, and money on hold would wait for ever.
 */
export async function startTemporalUpkeep(
  temporal: TemporalConnection,
  options: ScheduleSettings & { readonly intervalMs: number; readonly logger: Logger },
): Promise<Repetition> {
  const { connection, client, namespace } = temporal;
  const { intervalMs, logger } = options;
  await prepareNamespace(connection, namespace);
  await ensureSchedules(client, options);

  async function restore(): Promise<void> {
    const added = await prepareNamespace(connection, namespace);
    const created = await restoreSchedules(client, options);
    if (added.length > 0 || created.length > 0)
      logger.error({ added, created }, 'Temporal had lost what the service needs; it is back');
  }
  return repeat({
    work: () => client.withDeadline(Date.now() + LIMIT_MS, restore),
    intervalMs,
    pausesFirst: true,
    logger,
    failure: 'Schedules and search attributes could not be looked at',
  });
}
