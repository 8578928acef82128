import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { MissingRowError } from '../../src/db/missing-row.ts';
import { outcomeFor, settledOutcome, settleOperation } from '../../src/db/operations/operations.ts';
import { book } from '../../src/db/positions/book.ts';
import { observed } from '../../src/db/positions/change.ts';
import { currentOf, type LockedOrder, lockOrder } from '../../src/db/positions/orders.ts';
import { findMessage, queueMessage } from '../../src/db/vouchers/messages.ts';
import {
  findReversal,
  lockPendingReversal,
  noteReversalNeedsAction as noteNeedsAction,
  recordReversalEnd,
} from '../../src/db/vouchers/reversals.ts';
import { type LockedVoucher, lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatMoney } from '../../src/domain/money.ts';
import { refuse } from '../../src/domain/refusals.ts';
import type { OperationOutcome } from '../../workflows/contracts.ts';
import type {
  RedemptionReversed,
  ReverseRedemptionCommand,
} from '../../workflows/reversal/contracts.ts';
import { refusalOf } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { beginOrAnswer, type ReversalAnswered, type ReversalBegun } from './reversal-beginnings.ts';

/** The answer of a reversal, and the message that tells the owner. */
export interface ReversalEnded {
  readonly outcome: OperationOutcome<RedemptionReversed>;
  readonly messageId: number | null;
}

export function createReversalActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /** Records a reversal before it is sent, or answers the refusal; idempotent by operation. */
  async function beginReversal(
    command: ReverseRedemptionCommand,
  ): Promise<ReversalBegun | ReversalAnswered> {
    try {
      const begun = await database
        .transaction()
        .execute((transaction) => beginOrAnswer(transaction, command, dependencies));
      await failpoint('reverse-committed');
      return begun;
    } catch (error) {
      const refusal = await refusalOf(database, command, error);
      return { kind: 'answered', outcome: outcomeFor(command, refusal) };
    }
  }

  /**
   * Books a reversal that the provider confirmed: the voucher grows under its lock, or its partner gets
   * the value, and the owner's message is queued. Idempotent.
   */
  async function postReversal(
    operationId: string,
    providerReference: string,
  ): Promise<ReversalEnded> {
    const ended = await database
      .transaction()
      .execute((transaction) =>
        credit(transaction, { operationId, providerReference }, dependencies),
      );
    await failpoint('reverse-post-committed');
    return ended;
  }

  /**
   * Ends a reversal that the provider refused: the payment stands. The provider may have refused it because it took
   * the payment back by itself, so it is asked about the payment next. Idempotent.
   */
  const failReversal = (operationId: string, message: string): Promise<ReversalEnded> =>
    database.transaction().execute(async (transaction) => {
      const reversal = await findReversal(transaction, operationId);
      const order = await lockOrder(transaction, reversal.payment_operation_id);
      if (await lockPendingReversal(transaction, reversal.id)) {
        await recordReversalEnd(transaction, reversal.id, {
          status: 'FAILED',
          providerMessage: message,
        });
        const after = observed(order.position, placedAs(order, reversal.reference), {
          ...{ at: order.now, source: 'answer', said: 'nothing', words: message },
        });
        const askNow = currentOf(order).id;
        await book(transaction, order, after, { source: 'answer', askNow }, dependencies.limits);
      }
      const refusal = refuse('reversal-refused', { detail: message });
      return {
        outcome: await settleOperation(transaction, operationId, 'FAILED', refusal),
        messageId: null,
      };
    });

  /** Records that a person must look at a pending reversal. */
  const noteReversalNeedsAction = (operationId: string): Promise<void> =>
    noteNeedsAction(database, operationId);

  return {
    beginReversal,
    postReversal,
    failReversal,
    noteReversalNeedsAction,
  };
}

async function credit(
  transaction: DatabaseTransaction,
  { operationId, providerReference }: { operationId: string; providerReference: string },
  { failpoint, limits }: ActivityDependencies,
): Promise<ReversalEnded> {
  const reversal = await findReversal(transaction, operationId);
  const order = await lockOrder(transaction, reversal.payment_operation_id);
  if (!(await lockPendingReversal(transaction, reversal.id))) {
    const message = await findMessage(transaction, { reversalId: reversal.id });
    return {
      outcome: await settledOutcome(transaction, operationId),
      messageId: message?.id ?? null,
    };
  }
  const told = observed(order.position, placedAs(order, reversal.reference), {
    ...{ at: order.now, source: 'answer', said: 'done', providerReference },
  });
  // The merchant has asked for it, so that the value goes back to the payer at once.
  const after = { ...told, order: { ...told.order, isCharged: false } };
  const { position } = await book(transaction, order, after, { source: 'answer' }, limits);
  const creditedTo = position.order.creditedTo === 'partner' ? 'gift' : 'voucher';
  await recordReversalEnd(transaction, reversal.id, {
    status: 'SUCCESS',
    providerReference,
    creditedTo,
  });
  const voucher = await lockVoucher(transaction, reversal.voucher_id);
  if (!voucher) throw new MissingRowError('The voucher of a reversal is gone');
  const messageId = await queueNotice(transaction, {
    voucher,
    creditedTo,
    reversalId: reversal.id,
  });
  await failpoint('reverse-posted');
  const amount = formatMoney(position.order.price + position.order.fee);
  const outcome = await settleOperation<RedemptionReversed>(transaction, operationId, 'SUCCEEDED', {
    ok: true,
    amount,
    creditedTo,
    providerReference,
  });
  return { outcome, messageId };
}

/** The placement of a reversal by our reference. */
function placedAs({ position }: LockedOrder, reference: string): number {
  const placement = position.placements.find((one) => one.reference === reference);
  if (!placement) throw new MissingRowError('A reversal without a provider');
  return placement.id;
}

/** Tells the owner, unless the voucher has ended or its date has passed. */
async function queueNotice(
  transaction: DatabaseTransaction,
  credited: {
    readonly voucher: LockedVoucher;
    readonly creditedTo: 'voucher' | 'gift';
    readonly reversalId: number;
  },
): Promise<number | null> {
  const { voucher, creditedTo, reversalId } = credited;
  const { owner_msisdn: msisdn, is_past_expiry: isPast } = voucher;
  if (creditedTo === 'gift' || msisdn === null || isPast) return null;
  return queueMessage(transaction, {
    kind: 'REVERSAL_NOTICE',
    msisdn,
    voucherId: voucher.id,
    reversalId,
  });
}
