import { log } from '@temporalio/activity';
import { sql } from 'kysely';
import { type DuePlacement, databaseMoment, takeDue } from '../../src/db/positions/placements.ts';
import { findOrderedAttempt } from '../../src/db/topups/topup-attempts.ts';
import { redemptionPayment } from '../../src/db/vouchers/redemptions.ts';
import { type ProviderInquiry, unknown } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { askProvider } from '../providers/failover.ts';
import { paymentOf } from '../redemptions/payments.ts';
import { findReversalCall } from '../redemptions/reversal-calls.ts';
import { severalAtOnce } from '../several-at-once.ts';
import { orderOf } from '../topups/topup-orders.ts';
import { observationOf, observePlacement, workflowOfTopup } from './observe.ts';

const PAGE_SIZE = 100;
/** Concurrent inquiries. */
const CONCURRENCY = 10;
/** Time limit of one batch; the next batch does the rest. */
const BATCH_MS = 60_000;

/** What one batch of inquiries did. */
export interface AskedBatch {
  readonly asked: number;
  /** The time limit ended the batch early. */
  readonly isMore: boolean;
}

export function createAskActivities(dependencies: ActivityDependencies) {
  const { database, resumption } = dependencies;

  /**
   * Asks the providers about every placement that is due, until nothing is due or the time is over. What fails stays
   * due behind all the rest, which is asked about all the same.
   *
   * @throws the failure of the first that failed, when the rest is done
   */
  const askDue = (): Promise<AskedBatch> =>
    withHeartbeat(async () => {
      await severalAtOnce(await recentlyDelivered(), CONCURRENCY, nudge);
      const endsAt = Date.now() + BATCH_MS;
      const dueBy = await databaseMoment(database);
      const failures: unknown[] = [];
      let asked = 0;
      let isMore = true;
      while (isMore && Date.now() < endsAt) {
        const due = await takeDue(database, dueBy, PAGE_SIZE);
        await severalAtOnce(due, CONCURRENCY, ask).catch((error: unknown) => failures.push(error));
        asked += due.length;
        isMore = due.length > 0;
      }
      if (failures.length > 0) throw failures[0];
      return { asked, isMore };
    });

  async function ask(due: DuePlacement): Promise<void> {
    const answer = await inquire(dependencies, due);
    const order = await observePlacement(dependencies, due, observationOf(answer, due.takenMs));
    const workflowId = await workflowOfTopup(dependencies, order);
    if (workflowId !== undefined && answer.kind === 'delivered') await nudge(workflowId);
  }

  /**
   * The workflows of top-ups that have had a case since an hour: a worker may have died between a booking and its
   * nudge. One that was nudged has ended.
   */
  async function recentlyDelivered(): Promise<string[]> {
    const { rows } = await sql<{ workflowId: string }>`
      select workflow_id as "workflowId" from cases join topups on topups.id = topup_id
      where closed_at is null and opened_at > now() - interval '1 hour'
      order by cases.id desc limit ${PAGE_SIZE}`.execute(database);
    return rows.map(({ workflowId }) => workflowId);
  }

  /** It may be waiting for a retry, which is no longer wanted. */
  async function nudge(workflowId: string): Promise<void> {
    try {
      await resumption.hintTopUp(workflowId);
    } catch (error) {
      log.warn('Could not signal a late delivery to a top-up workflow', { error });
    }
  }

  return { askDue };
}

/** Asks a provider about an order as it was placed there. */
async function inquire(
  { database, airtime, mobileMoney, numbers }: ActivityDependencies,
  { kind, operationId, provider, leftAt, id }: DuePlacement,
): Promise<ProviderInquiry> {
  if (kind === 'top-up') {
    const order = orderOf(await findOrderedAttempt(database, operationId), numbers);
    return askProvider(airtime, provider, (port) => port.findOrder(order, leftAt ?? undefined));
  }
  if (kind === 'payment') {
    const payment = paymentOf(await redemptionPayment(database, operationId));
    return askProvider(mobileMoney, provider, (port) => port.findPayment(payment));
  }
  const reversal = await findReversalCall(database, id);
  return askProvider(
    mobileMoney,
    provider,
    async (port) =>
      (await port.reversals?.findReversal(reversal)) ??
      unknown(`The provider ${provider} cannot be asked about reversals.`),
  );
}
