import type { Logger } from 'pino';
import type { Config } from '../../../config/config.ts';
import { retryPassing } from '../../process/background-tasks.ts';
import type { TemporalConnection } from '../../temporal/connection.ts';
import { isTemporalBusy } from '../../temporal/connection.ts';
import {
  ensureSchedules,
  prepareNamespace,
  restoreSchedules,
  triggerResumptions,
} from '../../temporal/schedules.ts';
import { findStalledVersion, workerVersionOf } from '../../temporal/worker-version.ts';
import { type Repetition, repeat } from './repeat.ts';

/** The client itself has no time limit. */
const LIMIT_MS = 30_000;

/** A Temporal server that restarts, or is busy with the start of many processes, answers by then. */
const PATIENCE_MS = 60_000;

/**
 * Maintains what the service needs in Temporal besides its workflows: the namespace, the search
 * attributes and the Schedules. It runs before the worker starts and then every half a minute,
 * because an emptied or restored Temporal server lacks them, and money on hold would wait for ever. Such
 * a server has lost the workflows as well, so that what is on hold is taken up again at once.
 */
export async function startTemporalUpkeep(
  temporal: TemporalConnection,
  settings: Pick<Config, 'temporal' | 'schedules' | 'market'>,
  logger: Logger,
): Promise<Repetition> {
  const { connection, client, namespace } = temporal;
  const { temporalTaskQueue: taskQueue, temporalUpkeepSeconds } = settings.temporal;
  const version = workerVersionOf(settings.temporal);
  const withLimit = <Result>(work: () => Promise<Result>) =>
    client.withDeadline(Date.now() + LIMIT_MS, work);

  await retryPassing(() => withLimit(() => prepareNamespace(connection, namespace)), {
    isPassing: isTemporalBusy,
    patienceMs: PATIENCE_MS,
  });
  await ensureSchedules(client, settings, PATIENCE_MS);

  /** Survives a run that could not trigger: the next one does not find anything missing. */
  let isTriggerDue = false;

  async function restore(): Promise<void> {
    const added = await prepareNamespace(connection, namespace);
    const created = await restoreSchedules(client, settings);
    if (added.length > 0 || created.length > 0)
      logger.error(
        { added, created },
        'Restored search attributes and Schedules that Temporal had lost',
      );
    isTriggerDue ||= added.length > 0 || created.length > 0;
    if (isTriggerDue) await triggerResumptions(client, taskQueue);
    isTriggerDue = false;
    // Only the log can say so, because no workflow runs.
    const stalled = version && (await findStalledVersion(temporal, version, taskQueue));
    if (stalled)
      logger.error({ stalled }, 'No workflow can go on: no worker has the current version');
  }
  return repeat({
    work: () => withLimit(restore),
    intervalMs: temporalUpkeepSeconds * 1_000,
    pausesFirst: true,
    logger,
    failure: 'Could not check Schedules and search attributes',
  });
}
