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

  async function takeUp(): Promise<void> {
    for (const retry of await retriesToTakeUp(database, BATCH_SIZE)) {
      await retries.send(retry);
      await markRetryTaken(database, retry.id);
    }
  }

  return repeat({ work: takeUp, intervalMs, logger, failure: 'Could not pick up retries' });
}
