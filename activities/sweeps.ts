import { expireOverdueClaims } from '../src/db/claims.js';
import { expireVouchers } from '../src/db/expiry.js';
import { pruneLeftRequests } from '../src/db/left-requests.js';
import { pruneOperations } from '../src/db/pruning.js';
import { removeOldSignIns } from '../src/db/sign-in-attempts.js';
import type { ActivityDependencies } from './dependencies.js';

export function createSweepActivities(dependencies: ActivityDependencies) {
  const { database, limits } = dependencies;

  /** Expires one batch of claims that their workflows left behind; returns how many there were. */
  const expireLeftClaims = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireOverdueClaims(transaction, batchSize));

  /** Expires one batch of vouchers that are due; returns how many there were. */
  const expireDueVouchers = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireVouchers(transaction, batchSize));

  /**
   * Deletes one batch of operations older than they are kept, the counts of sign-ins whose time is
   * over and the requests that nobody came back for; returns how many operations there were.
   */
  const pruneOldOperations = async (): Promise<number> => {
    await removeOldSignIns(database, limits.signInWindowSeconds);
    await pruneLeftRequests(database);
    return pruneOperations(database, limits.operationRetentionDays);
  };

  return { expireLeftClaims, expireDueVouchers, pruneOldOperations };
}
