import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { reverseRedemption } from '../../src/db/ledger/holds.ts';
import { MissingRowError } from '../../src/db/missing-row.ts';
import { outcomeFor, settledOutcome, settleOperation } from '../../src/db/operations/operations.ts';
import { findMessage, queueMessage } from '../../src/db/vouchers/messages.ts';
import {
  findReversal,
  lockPendingReversal,
  noteReversalNeedsAction as noteNeedsAction,
  recordNotReversed,
  recordReversed,
} from '../../src/db/vouchers/reversals.ts';
import { growVoucher } from '../../src/db/vouchers/voucher-holds.ts';
import { type LockedVoucher, lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatMoney, parseMoney } from '../../src/domain/money.ts';
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

  /** Ends a reversal that the provider refused: the payment stands. Idempotent. */
  const failReversal = (operationId: string, message: string): Promise<ReversalEnded> =>
    database.transaction().execute(async (transaction) => {
      const reversal = await findReversal(transaction, operationId);
      if (await lockPendingReversal(transaction, reversal.id))
        await recordNotReversed(transaction, reversal, message);
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
  { failpoint }: ActivityDependencies,
): Promise<ReversalEnded> {
  const reversal = await findReversal(transaction, operationId);
  const voucher = await lockVoucher(transaction, reversal.voucher_id);
  if (!voucher) throw new MissingRowError('The voucher of a reversal is gone');
  if (!(await lockPendingReversal(transaction, reversal.id))) {
    const message = await findMessage(transaction, { reversalId: reversal.id });
    return {
      outcome: await settledOutcome(transaction, operationId),
      messageId: message?.id ?? null,
    };
  }
  const [toMerchant, serviceFee] = [
    parseMoney(reversal.to_merchant),
    parseMoney(reversal.service_fee),
  ];
  const amount = formatMoney(toMerchant + serviceFee);
  const creditedTo = await growVoucher(transaction, voucher, amount);
  await reverseRedemption(transaction, {
    operationId,
    partnerId: reversal.partner_id,
    toMerchant,
    serviceFee,
    creditedTo,
  });
  await recordReversed(transaction, reversal, { providerReference, creditedTo });
  const messageId = await queueNotice(transaction, {
    voucher,
    creditedTo,
    reversalId: reversal.id,
  });
  await failpoint('reverse-posted');
  const outcome = await settleOperation<RedemptionReversed>(transaction, operationId, 'SUCCEEDED', {
    ok: true,
    amount,
    creditedTo,
    providerReference,
  });
  return { outcome, messageId };
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
