import { heartbeat, log } from '@temporalio/activity';
import type { Database } from '../src/db/connection.js';
import { pruneBatch, prunedRows, type Retention } from '../src/db/pruning.js';
import { failStaleRequests } from '../src/db/topups/stale-topups.js';
import {
  cancelUselessMessages,
  endCutOffInvitationMessages,
} from '../src/db/vouchers/abandoned-messages.js';
import { expireOverdueClaims } from '../src/db/vouchers/claims.js';
import {
  expireVouchers,
  expireVouchersApart,
  type StuckPartner,
} from '../src/db/vouchers/expiry.js';
import type { ActivityDependencies } from './dependencies.js';

/** Rows per transaction, so that a sweep never holds many locks for long. */
const BATCH_SIZE = 500;
const PRUNE_BATCH_SIZE = 5_000;

/** Time limit of a step; the workflow repeats it for the rest. */
const STEP_MS = 15_000;

/** The effect of one step of a sweep. */
export interface Swept {
  readonly count: number;
  /** False when the time limit ended the step early. */
  readonly isDone: boolean;
}

export interface SweptVouchers extends Swept {
  /** Partners whose due vouchers cannot expire. */
  readonly stuck: readonly StuckPartner[];
}

export function createSweepActivities(dependencies: ActivityDependencies) {
  const { database, limits } = dependencies;
  const retention = {
    operationDays: limits.operationRetentionDays,
    signInSeconds: limits.signInWindowSeconds,
    sessionSeconds: limits.sessionMaximumSeconds,
  };

  /** Expires one batch of orphaned claims; returns the number. */
  const expireLeftClaims = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireOverdueClaims(transaction, batchSize));

  /** Expires one batch of due vouchers; returns the number. */
  const expireDueVouchers = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireVouchers(transaction, batchSize));

  /** Expires orphaned claims. */
  const sweepClaims = (): Promise<Swept> =>
    inBatches(upTo(BATCH_SIZE, () => expireLeftClaims(BATCH_SIZE)));

  /** Expires due vouchers, except those of partners that were already found stuck. */
  async function sweepVouchers(stuckBefore: readonly number[]): Promise<SweptVouchers> {
    const stuck: StuckPartner[] = [];
    const swept = await inBatches(async () => {
      const except = [...stuckBefore, ...stuck.map(({ partnerId }) => partnerId)];
      const batch = await expireVouchersApart(database, BATCH_SIZE, except);
      for (const partner of batch.stuck) log.error('Could not expire vouchers', partner);
      stuck.push(...batch.stuck);
      // After a batch of stuck vouchers there may be others.
      const isLast = batch.expired < BATCH_SIZE && batch.stuck.length === 0;
      return { count: batch.expired, isLast };
    });
    return { ...swept, stuck };
  }

  /** Fails top-ups and retries whose workflows never began. */
  const sweepTopUps = (): Promise<Swept> =>
    inBatches(
      upTo(BATCH_SIZE, () => failStaleRequests(database, limits.topupStartSeconds, BATCH_SIZE)),
    );

  /**
   * Ends messages that need no sending. Other orphaned messages are resumed
   * (activities/resumption.ts).
   */
  async function sweepMessages(): Promise<Swept> {
    const { confirmationMaximumAgeSeconds: maximumAge } = limits;
    const endsAt = Date.now() + STEP_MS;
    const cancelled = await inBatches(
      upTo(BATCH_SIZE, () => cancelUselessMessages(database, maximumAge, BATCH_SIZE)),
      endsAt,
    );
    const cutOff = await inBatches(
      upTo(BATCH_SIZE, () => endCutOffInvitationMessages(database, BATCH_SIZE)),
      endsAt,
    );
    return {
      count: cancelled.count + cutOff.count,
      isDone: cancelled.isDone && cutOff.isDone,
    };
  }

  /** Deletes rows beyond their retention. */
  const pruneRows = (): Promise<Swept> => pruneEachKind(database, retention);

  /** For sweeps that began before the steps were separated. */
  const pruneOldOperations = async (): Promise<number> => (await pruneRows()).count;
  const failTopUpsNeverStarted = async (): Promise<number> => (await sweepTopUps()).count;

  return {
    expireLeftClaims,
    expireDueVouchers,
    pruneOldOperations,
    failTopUpsNeverStarted,
    sweepClaims,
    sweepVouchers,
    sweepTopUps,
    sweepMessages,
    pruneRows,
  };
}

/**
 * A failure for one kind of rows does not prevent the others.
 *
 * @throws the first failure, when all kinds are done
 */
async function pruneEachKind(database: Database, retention: Retention): Promise<Swept> {
  const failures: unknown[] = [];
  const all: Swept[] = [];
  const endsAt = Date.now() + STEP_MS;
  for (const kind of prunedRows) {
    const prune = () => pruneBatch(database, kind, retention, PRUNE_BATCH_SIZE);
    const pruned = await inBatches(upTo(PRUNE_BATCH_SIZE, prune), endsAt).catch((error) => {
      failures.push(error);
      return { count: 0, isDone: true };
    });
    all.push(pruned);
  }
  if (failures.length > 0) throw failures[0];
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    isDone: all.every(({ isDone }) => isDone),
  };
}

interface Batch {
  readonly count: number;
  readonly isLast: boolean;
}

/** A batch that is not full is the last one. */
const upTo = (size: number, sweep: () => Promise<number>) => async (): Promise<Batch> => {
  const count = await sweep();
  return { count, isLast: count < size };
};

/** Runs batches until there are no more rows, or the time limit of the step. */
async function inBatches(
  sweep: () => Promise<Batch>,
  endsAt = Date.now() + STEP_MS,
): Promise<Swept> {
  for (let total = 0; ; ) {
    const { count, isLast } = await sweep();
    total += count;
    heartbeat(total);
    if (isLast || Date.now() > endsAt) return { count: total, isDone: isLast };
  }
}
