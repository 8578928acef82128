import { heartbeat, log } from '@temporalio/activity';
import type { Database } from '../../src/db/connection.js';
import { pruneInTurns, type Retention } from '../../src/db/pruning.js';
import { failStaleRequests } from '../../src/db/topups/stale-topups.js';
import {
  cancelUselessMessages,
  endCutOffInvitationMessages,
} from '../../src/db/vouchers/abandoned-messages.js';
import { expireOverdueClaims } from '../../src/db/vouchers/claims.js';
import {
  expireVouchers,
  expireVouchersApart,
  type StuckPartner,
} from '../../src/db/vouchers/expiry.js';
import { queueReminders } from '../../src/db/vouchers/reminders.js';
import { endLeftResends } from '../../src/db/vouchers/resends.js';
import type { ActivityDependencies } from '../dependencies.js';

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

const retentionOf = (limits: ActivityDependencies['limits']): Retention => ({
  operationDays: limits.operationRetentionDays,
  eventDays: limits.eventRetentionDays,
  signInSeconds: limits.signInWindowSeconds,
  sessionSeconds: limits.sessionMaximumSeconds,
  numberDays: limits.numberRetentionDays,
});

export function createSweepActivities(dependencies: ActivityDependencies) {
  const { database, limits } = dependencies;
  const retention = retentionOf(limits);

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

  /** Queues messages to owners whose vouchers expire soon. */
  const sweepReminders = (): Promise<Swept> =>
    inBatches(upTo(BATCH_SIZE, () => queueReminders(database, limits.reminders, BATCH_SIZE)));

  /**
   * Ends messages that need no sending. Other orphaned messages are resumed
   * (activities/reconciliation/resumption.ts).
   */
  async function sweepMessages(): Promise<Swept> {
    const { confirmationMaximumAgeSeconds: maximumAge } = limits;
    const steps = [
      () => cancelUselessMessages(database, maximumAge, BATCH_SIZE),
      () => endCutOffInvitationMessages(database, BATCH_SIZE),
      () => endLeftResends(database, BATCH_SIZE),
    ];
    const endsAt = Date.now() + STEP_MS;
    const swept: Swept[] = [];
    for (const step of steps) swept.push(await inBatches(upTo(BATCH_SIZE, step), endsAt));
    return sumOf(swept);
  }

  /** Deletes rows beyond their retention. */
  const pruneRows = (): Promise<Swept> => pruneInTime(database, retention);

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
    sweepReminders,
    sweepMessages,
    pruneRows,
  };
}

const pruneInTime = (database: Database, retention: Retention): Promise<Swept> =>
  pruneInTurns(database, retention, {
    batchSize: PRUNE_BATCH_SIZE,
    endsAt: Date.now() + STEP_MS,
    note: heartbeat,
  });

const sumOf = (all: readonly Swept[]): Swept => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  isDone: all.every(({ isDone }) => isDone),
});

interface Batch {
  readonly count: number;
  readonly isLast: boolean;
}

/** A batch that is not full is the last one. */
export const upTo = (size: number, sweep: () => Promise<number>) => async (): Promise<Batch> => {
  const count = await sweep();
  return { count, isLast: count < size };
};

/** Runs batches until there are no more rows, or the time limit of the step. */
export async function inBatches(
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
