import type { Database } from '../../../db/connection.ts';
import { numberEvents } from '../../../db/events.ts';
import { type Background, type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 1_000;

/** Numbers new events until none is left, and looks again after the interval. */
export const startEventNumbering = (
  options: Background & { readonly database: Database },
): Repetition =>
  repeat({
    ...options,
    async work() {
      while ((await numberEvents(options.database, BATCH_SIZE, options.isFenced)) === BATCH_SIZE);
    },
    failure: 'Could not number events',
  });
