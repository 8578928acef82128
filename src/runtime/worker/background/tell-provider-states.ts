import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '../../../db/connection.ts';
import {
  forgetProviderStates,
  type ProviderState,
  recordProviderStates,
} from '../../../db/providers.ts';
import { type Repetition, repeat } from './repeat.ts';

/** A worker that has missed so many of its turns no longer runs, or does not reach the database. */
const MISSED_TURNS = 4;

/**
 * Tells the database at an interval what this worker knows of the providers: their circuit breakers live in
 * the memory of each worker, and the operator's command line runs elsewhere.
 */
export function tellProviderStates(options: {
  readonly database: Database;
  readonly readStates: () => readonly ProviderState[];
  readonly intervalMs: number;
  readonly logger: Logger;
}): Repetition {
  const { database, readStates, intervalMs, logger } = options;
  // As Temporal names a worker.
  const worker = `${process.pid}@${hostname()}`;
  const failure = 'Could not record the states of the providers';
  const lifetimeSeconds = (MISSED_TURNS * intervalMs) / 1_000;
  let isFirst = true;
  const repetition = repeat({
    async work() {
      // An earlier process of this name, and others that have died.
      if (isFirst) await forgetProviderStates(database, worker);
      isFirst = false;
      await recordProviderStates(database, worker, readStates(), lifetimeSeconds);
    },
    intervalMs,
    logger,
    failure,
  });
  return {
    async stop() {
      await repetition.stop();
      // The rows of a stopped worker are forgotten soon.
      await forgetProviderStates(database, worker).catch(() => undefined);
    },
  };
}
