import { heartbeat, log } from '@temporalio/activity';
import type { Database } from '../../src/db/connection.ts';
import { SIGN_IN_WINDOW_SECONDS } from '../../src/db/limits/sign-in-attempts.ts';
import { sessionLifetimes } from '../../src/db/portal/portal-sessions.ts';
import { pruneInTurns, type Retention } from '../../src/db/pruning.ts';
import { staleRetriesStep, staleTopupsStep } from '../../src/db/topups/stale-topups.ts';
import {
  cancelUselessMessages,
  endCutOffInvitationMessages,
} from '../../src/db/vouchers/abandoned-messages.ts';
import { overdueClaimsStep } from '../../src/db/vouchers/claims.ts';
import { expireVouchersApart, type StuckPartner } from '../../src/db/vouchers/expiry.ts';
import { remindersStep } from '../../src/db/vouchers/reminders.ts';
import { endLeftResends } from '../../src/db/vouchers/resends.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { endAll, inBatches, STEP_MS, type Swept, sumOf, upTo } from './sweep-batches.ts';

/** Rows per transaction, so that a sweep never holds many locks for long. */
const BATCH_SIZE = 500;
const PRUNE_BATCH_SIZE = 5_000;

/** Age at which an unsent confirmation is cancelled; the redemption is not affected. */
const CONFIRMATION_SECONDS = 86_400;

/** Days that an idempotency key is stored if its operation left no voucher, redemption or top-up. */
export const OPERATION_DAYS = 30;
/** Days that events are kept. */
const EVENT_DAYS = 30;

export interface SweptVouchers extends Swept {
  /** Partners with due vouchers that cannot expire. */
  readonly stuck: readonly StuckPartner[];
}

const retentionOf = (limits: ActivityDependencies['limits']): Retention => ({
  operationDays: OPERATION_DAYS,
  eventDays: EVENT_DAYS,
  signInSeconds: SIGN_IN_WINDOW_SECONDS,
  sessionSeconds: sessionLifetimes.maximumSeconds,
  messageDays: limits.messageRetentionDays,
  numberDays: limits.numberRetentionDays,
});

export function createSweepActivities(dependencies: ActivityDependencies) {
  const { database, limits } = dependencies;
  const retention = retentionOf(limits);

  /** Expires orphaned claims. */
  const sweepClaims = (): Promise<Swept> =>
    endAll('claim', BATCH_SIZE, overdueClaimsStep(database, BATCH_SIZE));

  const sweepVouchers = (partnersBefore: readonly number[]): Promise<SweptVouchers> =>
    expireAllDue(database, partnersBefore);

  /** Fails top-ups and retries whose workflows never began. */
  async function sweepTopUps(): Promise<Swept> {
    const batch = { startSeconds: limits.topupStartSeconds, batchSize: BATCH_SIZE };
    const endsAt = Date.now() + STEP_MS;
    return sumOf([
      await endAll('top-up', BATCH_SIZE, staleTopupsStep(database, batch), endsAt),
      await endAll('retry', BATCH_SIZE, staleRetriesStep(database, batch), endsAt),
    ]);
  }

  /** Queues messages to owners whose vouchers expire soon. */
  const sweepReminders = (): Promise<Swept> =>
    endAll('reminder', BATCH_SIZE, remindersStep(database, limits.reminders, BATCH_SIZE));

  /**
   * Ends messages that need no sending. Other orphaned messages are resumed
   * (activities/reconciliation/resumption.ts).
   */
  async function sweepMessages(): Promise<Swept> {
    const steps = [
      () => cancelUselessMessages(database, CONFIRMATION_SECONDS, BATCH_SIZE),
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

  return {
    sweepClaims,
    sweepVouchers,
    sweepTopUps,
    sweepReminders,
    sweepMessages,
    pruneRows,
  };
}

/** Expires due vouchers, except those of partners that were already left out as a whole. */
async function expireAllDue(
  database: Database,
  partnersBefore: readonly number[],
): Promise<SweptVouchers> {
  const partners = [...partnersBefore];
  const vouchers: number[] = [];
  const stuck = new Map<number, StuckPartner>();
  const swept = await inBatches(async () => {
    const batch = await expireVouchersApart(database, BATCH_SIZE, { partners, vouchers });
    for (const { id, error } of batch.refused)
      log.error('The database refuses to expire a voucher', { voucherId: id, error });
    for (const partner of batch.stuck) {
      log.error('Could not expire vouchers', partner);
      stuck.set(partner.partnerId, partner);
    }
    partners.push(...batch.leftOut);
    vouchers.push(...batch.refused.map(({ id }) => id));
    // After a batch of stuck vouchers there may be others.
    const isLast = batch.expired < BATCH_SIZE && batch.stuck.length === 0;
    return { count: batch.expired, isLast };
  });
  return { ...swept, stuck: [...stuck.values()] };
}

const pruneInTime = (database: Database, retention: Retention): Promise<Swept> =>
  pruneInTurns(database, retention, {
    batchSize: PRUNE_BATCH_SIZE,
    endsAt: Date.now() + STEP_MS,
    note: heartbeat,
  });
