import type { Database } from '../../src/db/connection.ts';
import { type PrunedRows, pruneBatch, type Retention } from '../../src/db/pruning.ts';

/** Deletes a batch of rows of one kind whose time is over; returns how many. */
export const prune = (database: Database, kind: PrunedRows, retention: Partial<Retention> = {}) =>
  pruneBatch(
    database,
    kind,
    {
      operationDays: 30,
      eventDays: 30,
      signInSeconds: 900,
      sessionSeconds: 43_200,
      messageRetentionDays: 400,
      numberRetentionDays: 0,
      ...retention,
    },
    5_000,
  );
