import type { Logger } from 'pino';
import type { Database } from '../../db/connection.js';
import { markRetryTaken, retriesToTakeUp } from '../../db/operations/operator-commands.js';
import type { OperatorRetries } from './operator-retries.js';
import { type Repetition, repeat } from './repeat.js';

const BATCH_SIZE = 100;

/**
 * Executes the retries of top-ups that operators have written, by the workflow that waits for them
 * or by its successor. Any number of workers may poll: a command is one operation, even if it is
 * sent repeatedly.
 */
export function createRetryPickup(options: {
  readonly database: Database;
  readonly retries: OperatorRetries;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition {
  const { database, retries, logger, intervalMs } = options;
  /** Those whose workflow did not take them, as one that hangs: they come after all others. */
  let refused = new Set<number>();

  async function takeUp(): Promise<void> {
    const found = await retriesToTakeUp(database, BATCH_SIZE);
    refused = new Set(found.map(({ id }) => id).filter((id) => refused.has(id)));
    const isRefused = ({ id }: { readonly id: number }) => Number(refused.has(id));
    for (const retry of found.toSorted((one, other) => isRefused(one) - isRefused(other))) {
      // Counts as refused until it is done.
      refused.add(retry.id);
      await retries.send(retry);
      await markRetryTaken(database, retry.id);
      refused.delete(retry.id);
    }
  }

  return repeat({ work: takeUp, intervalMs, logger, failure: 'Could not pick up retries' });
}
