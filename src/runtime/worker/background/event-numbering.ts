import type { Logger } from 'pino';
import type { Database } from '../../../db/connection.ts';
import { numberEvents } from '../../../db/events.ts';
import { type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 1_000;

/** Numbers new events until none is left, and looks again after the interval. */
export const startEventNumbering = (options: {
  readonly database: Database;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition =>
  repeat({
    async work() {
      while ((await numberEvents(options.database, BATCH_SIZE)) === BATCH_SIZE);
    },
    intervalMs: options.intervalMs,
    logger: options.logger,
    failure: 'Could not number events',
  });
