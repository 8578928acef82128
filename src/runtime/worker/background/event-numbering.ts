import type { Logger } from 'pino';
import type { Database } from '../../../db/connection.ts';
import { numberEvents } from '../../../db/events.ts';
import { type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 1_000;

/** Numbers new events until none is left, and looks again after the interval. */
export const startEventNumbering = (options: {
  readonly database: Database;
  readonly isFenced: () => boolean;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition =>
  repeat({
    ...options,
    async work() {
      while ((await numberEvents(options.database, BATCH_SIZE, options.isFenced)) === BATCH_SIZE);
    },
    failure: 'Could not number events',
  });
