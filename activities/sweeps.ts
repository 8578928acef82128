import { expireOverdueClaims } from '../src/db/claims.js';
import { expireVouchers } from '../src/db/expiry.js';
import { pruneOperations } from '../src/db/operations.js';
import type { ActivityDependencies } from './dependencies.js';

export function createSweepActivities(dependencies: ActivityDependencies) {
  const { database, limits } = dependencies;

  /** Expires one batch of claims that their workflows left behind; returns how many there were. */
  const expireLeftClaims = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireOverdueClaims(transaction, batchSize));

  /** Expires one batch of vouchers that are due; returns how many there were. */
  const expireDueVouchers = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireVouchers(transaction, batchSize));

  /** Deletes one batch of operations older than they are kept; returns how many there were. */
  const pruneOldOperations = (): Promise<number> =>
    pruneOperations(database, limits.operationRetentionDays);

  return { expireLeftClaims, expireDueVouchers, pruneOldOperations };
}
