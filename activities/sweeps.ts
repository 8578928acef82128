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

/** Rows of one transaction, so that a sweep never holds many for long. */
const BATCH_SIZE = 500;
const PRUNE_BATCH_SIZE = 5_000;

/** A step goes on for so long; the workflow asks for the rest. */
const STEP_MS = 15_000;

/** What one step of a sweep did. */
export interface Swept {
  readonly count: number;
  /** False where its time was over before everything was done. */
  readonly isDone: boolean;
}

export interface SweptVouchers extends Swept {
  /** Whose vouchers are due and cannot expire. */
  readonly stuck: readonly StuckPartner[];
}

export function createSweepActivities(dependencies: ActivityDependencies) {
  const { database, limits } = dependencies;
  const retention = {
    operationDays: limits.operationRetentionDays,
    signInSeconds: limits.signInWindowSeconds,
    sessionSeconds: limits.sessionMaximumSeconds,
  };

  /** Expires one batch of claims that their workflows left behind; returns how many there were. */
  const expireLeftClaims = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireOverdueClaims(transaction, batchSize));

  /** Expires one batch of vouchers that are due; returns how many there were. */
  const expireDueVouchers = (batchSize: number): Promise<number> =>
    database.transaction().execute((transaction) => expireVouchers(transaction, batchSize));

  /** Expires claims that their workflows left behind. */
  const sweepClaims = (): Promise<Swept> =>
    inBatches(upTo(BATCH_SIZE, () => expireLeftClaims(BATCH_SIZE)));

  /** Expires vouchers that are due, but for those of partners that were found stuck before. */
  async function sweepVouchers(stuckBefore: readonly number[]): Promise<SweptVouchers> {
    const stuck: StuckPartner[] = [];
    const swept = await inBatches(async () => {
      const except = [...stuckBefore, ...stuck.map(({ partnerId }) => partnerId)];
      const batch = await expireVouchersApart(database, BATCH_SIZE, except);
      for (const partner of batch.stuck) log.error('Could not expire vouchers', partner);
      stuck.push(...batch.stuck);
      // Behind a batch of vouchers that are stuck there may be others.
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
   * Ends messages that need no sending any more. Those that do are taken up again
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

  /** Deletes what is kept for a limited time. */
  const pruneRows = (): Promise<Swept> => pruneEachKind(database, retention);

  /** The steps of sweeps that began before the steps were apart. */
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
 * Rows of one kind that cannot be deleted keep no others.
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

/** A batch that is the last one where it is not full. */
const upTo = (size: number, sweep: () => Promise<number>) => async (): Promise<Batch> => {
  const count = await sweep();
  return { count, isLast: count < size };
};

/** Batch after batch until there is no more to do, or the time of the step is over. */
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
