import type { Logger } from 'pino';
import type { Database } from '../../../db/connection.ts';
import { markRetryTaken, retriesToTakeUp } from '../../../db/operator-commands.ts';
import type { OperatorRetries } from './operator-retries.ts';
import { pickUp } from './pick-up.ts';
import type { Repetition } from './repeat.ts';

/**
 * Executes the retries of top-ups that operators have written, by the workflow that waits for them
 * or by its successor.
 */
export const createRetryPickup = (options: {
  readonly database: Database;
  readonly retries: OperatorRetries;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition =>
  pickUp({
    ...options,
    rows: 'retries',
    find: (batchSize) => retriesToTakeUp(options.database, batchSize),
    async start(retry) {
      await options.retries.send(retry);
      await markRetryTaken(options.database, retry.id);
    },
  });
