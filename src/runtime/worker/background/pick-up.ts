import type { Client, Workflow } from '@temporalio/client';
import type { Logger } from 'pino';
import { startUnlessRunning, type WorkflowStart } from '../../temporal/workflow-starts.ts';
import { type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const START_LIMIT_MS = 5_000;

/**
 * Starts what people have written into the database. Their commands need only the database, so the
 * rows wait there while Temporal is unavailable. Any number of workers may poll, since each row has
 * one workflow or is one operation. A Schedule would leave a run in Temporal every few seconds.
 */
export function pickUp<Found extends { readonly id: number | string }>(options: {
  /** For the log, such as "repairs". */
  readonly rows: string;
  readonly find: (batchSize: number) => Promise<readonly Found[]>;
  readonly start: (found: Found) => Promise<unknown>;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition {
  const { rows, find, start, logger, intervalMs } = options;
  /** Those that could not be started, as for a workflow that hangs: they come after all others. */
  let refused = new Set<Found['id']>();

  async function work(): Promise<void> {
    const found = await find(BATCH_SIZE);
    refused = new Set(found.map(({ id }) => id).filter((id) => refused.has(id)));
    const isRefused = ({ id }: Found) => Number(refused.has(id));
    for (const one of found.toSorted((left, right) => isRefused(left) - isRefused(right))) {
      // Counts as refused until it is done.
      refused.add(one.id);
      await start(one);
      refused.delete(one.id);
    }
  }

  return repeat({ work, intervalMs, logger, failure: `Could not pick up ${rows}` });
}

/** Starts a workflow that a row has, unless it runs already. */
export const startOnce = (
  options: { readonly client: Client; readonly taskQueue: string },
  start: WorkflowStart<Workflow>,
): Promise<boolean> =>
  options.client.withDeadline(Date.now() + START_LIMIT_MS, () =>
    startUnlessRunning(options, start),
  );
