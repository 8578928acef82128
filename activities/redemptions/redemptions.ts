import { type DatabaseTransaction, sendTogether } from '../../src/db/connection.ts';
import { cancelQueuedMessages } from '../../src/db/messages/messages.ts';
import { settledOutcome, settleOperation } from '../../src/db/operations.ts';
import { endOrder, referenceOf } from '../../src/db/positions/book.ts';
import { readLockedOrder } from '../../src/db/positions/orders.ts';
import { lockRedemption } from '../../src/db/vouchers/redemptions.ts';
import type { Ending } from '../../src/domain/providers.ts';
import {
  type AnsweredOperation,
  answered,
  type OperationOutcome,
  type Refusal,
  refuse,
} from '../../src/domain/refusals.ts';
import type { RedeemCommand, RedemptionMade } from '../../workflows/contracts.ts';
import { outcomeAfter } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { MessageSender } from '../messages.ts';
import type { RedemptionHeld } from './facts.ts';
import { countFoundWrongCode, holdPayment, type RedemptionHold } from './redemption-holds.ts';

export function createRedemptionActivities(
  dependencies: ActivityDependencies,
  sender: MessageSender,
) {
  const { database, failpoint } = dependencies;

  /**
   * The first phase of a redemption: reserved → gift-hold, the redemption's row and its
   * confirmation message, in one transaction. A wrong code is counted in the transaction of the
   * refusal. Idempotent by operation.
   */
  async function holdRedemption(
    command: RedeemCommand,
  ): Promise<RedemptionHeld | AnsweredOperation<RedemptionMade>> {
    const hold: RedemptionHold = { command, dependencies };
    try {
      const held = await database
        .transaction()
        .execute((transaction) => holdPayment(transaction, hold));
      await failpoint('redeem-hold-committed');
      return held;
    } catch (error) {
      const outcome = await outcomeAfter<RedemptionMade>(database, command, error);
      // The transaction rolled back, but the code was compared, so it counts.
      if (hold.wrongCode)
        await database
          .transaction()
          .execute((transaction) => countFoundWrongCode(transaction, hold));
      return answered(outcome);
    }
  }

  /**
   * The second phase: gift-hold → clearing and service fees after the merchant was paid, gift-hold → reserved after the
   * payment was refused, or not sent. The confirmation of a payment leaves once this is committed, and no caller waits
   * for it.
   */
  async function endRedemption(
    operationId: string,
    ending: Ending,
    /** The confirmation; null where there is none. */
    messageId: number | null,
  ): Promise<OperationOutcome<RedemptionMade>> {
    const outcome = await database
      .transaction()
      .execute((transaction) => endHold(transaction, operationId, ending, dependencies));
    await failpoint('redeem-post-committed');
    if (ending.kind === 'done' && messageId !== null) sender.sendInBackground(messageId);
    return outcome;
  }

  return { holdRedemption, endRedemption };
}

/**
 * Ends a hold by what the provider said, and settles its operation; a completed one keeps its first answer. A payment
 * that another provider has made is paid, whatever this one says.
 */
async function endHold(
  transaction: DatabaseTransaction,
  operationId: string,
  ending: Ending,
  { settings, failpoint }: ActivityDependencies,
): Promise<OperationOutcome<RedemptionMade>> {
  const [redemption, held] = await sendTogether(transaction, (together) => [
    lockRedemption(together, operationId),
    readLockedOrder(together, operationId, 'payment'),
  ]);
  if (held.status !== 'HELD') return settledOutcome(transaction, operationId);
  const order = await endOrder(transaction, held, ending, settings.topups);
  const isPaid = order.position.order.isCharged;
  await failpoint('redeem-posted');
  const result: RedemptionMade | Refusal = isPaid
    ? {
        ok: true,
        providerReference: referenceOf(order),
        platformReference: redemption.platform_reference,
      }
    : refuse('payment-refused', { detail: ending.kind === 'done' ? '' : ending.message });
  const [outcome] = await sendTogether(transaction, (together) => [
    settleOperation(together, operationId, isPaid ? 'SUCCEEDED' : 'FAILED', result),
    isPaid || cancelQueuedMessages(together, 'redemption_id', redemption.id),
  ]);
  return outcome;
}
