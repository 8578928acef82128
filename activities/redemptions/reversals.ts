import type { DatabaseTransaction } from '../../src/db/connection.js';
import { reverseRedemption } from '../../src/db/ledger/holds.js';
import { MissingRowError } from '../../src/db/missing-row.js';
import {
  beginOperation,
  outcomeFor,
  refuseOperation,
  settledOutcome,
  settleOperation,
} from '../../src/db/operations/operations.js';
import { findMessage, queueMessage } from '../../src/db/vouchers/messages.js';
import {
  findReversal,
  insertReversal,
  lockPendingReversal,
  noteReversalNeedsAction as noteNeedsAction,
  recordNotReversed,
  recordReversed,
  reversalContext,
  voucherOfRedemption,
} from '../../src/db/vouchers/reversals.js';
import { growVoucher } from '../../src/db/vouchers/voucher-holds.js';
import { type LockedVoucher, lockVoucher } from '../../src/db/vouchers/vouchers.js';
import { formatAmount, formatMoney, parseMoney } from '../../src/domain/money.js';
import { type Refusal, refuse } from '../../src/domain/refusals.js';
import { refuseReversal } from '../../src/domain/vouchers/reversal.js';
import type { OperationOutcome } from '../../workflows/contracts.js';
import type {
  RedemptionReversed,
  ReverseRedemptionCommand,
} from '../../workflows/reversal/contracts.js';
import { refusalOf } from '../database-step.js';
import type { ActivityDependencies } from '../dependencies.js';
import { canReverse } from './reversal-calls.js';

const KIND = 'reverse-redemption';

/** A reversal that is recorded and may be sent, with texts for support staff. */
export interface ReversalBegun {
  readonly kind: 'begun';
  /** Compared by the workflow: the reversal must be its own. */
  readonly operationId: string;
  /** An earlier run recorded it, and may have sent it. */
  readonly isResumed: boolean;
  /** Our reference of the reversal towards the provider. */
  readonly reference: string;
  readonly platformReference: string;
  readonly merchantName: string;
  readonly serialNumber: string;
  /** Decimal strings with two digits, for people. */
  readonly toMerchant: string;
  readonly serviceFee: string;
  /** Who made the payment, and is asked to take it back; null is the default of a time before routes, absent in older histories. */
  readonly provider?: string | null;
}

export interface ReversalAnswered {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<RedemptionReversed>;
}

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

type FoundReversal = Awaited<ReturnType<typeof findReversal>>;

async function beginOrAnswer(
  transaction: DatabaseTransaction,
  command: ReverseRedemptionCommand,
  dependencies: ActivityDependencies,
): Promise<ReversalBegun | ReversalAnswered> {
  const { operationId, requestDigest, redemptionId, reason } = command;
  const begun = await beginOperation<RedemptionReversed>(transaction, command, KIND);
  if (begun.kind === 'answered') return begun;
  const isResumed = begun.kind === 'resumed';
  if (!isResumed) {
    await dependencies.failpoint('reverse-begun');
    const refusal = await refusalFor(transaction, command, dependencies);
    if (refusal)
      return {
        kind: 'answered',
        outcome: await refuseOperation<RedemptionReversed>(transaction, command, refusal),
      };
    const reference = dependencies.digests.paymentReference(operationId, 1);
    const reversal = { redemptionId, operationId, requestDigest, reference, reason };
    await insertReversal(transaction, reversal);
  }
  return describeBegun(await findReversal(transaction, operationId), { operationId, isResumed });
}

/** Locks voucher and redemption, and judges the reversal. */
async function refusalFor(
  transaction: DatabaseTransaction,
  { redemptionId, company }: ReverseRedemptionCommand,
  { limits, mobileMoney }: ActivityDependencies,
): Promise<Refusal | undefined> {
  const voucherId = await voucherOfRedemption(transaction, redemptionId);
  if (voucherId !== undefined) await lockVoucher(transaction, voucherId);
  const context = await reversalContext(transaction, redemptionId, company);
  const { status, merchantId } = context;
  const isOwn = company.kind === 'merchant' && merchantId === company.id;
  return refuseReversal(
    {
      ...context,
      redemption: status === null || !isOwn ? undefined : { ...context, status },
      providerCanReverse: canReverse(mobileMoney, context.provider),
    },
    limits.reversalWindowSeconds,
  );
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

const describeBegun = (
  found: FoundReversal,
  begun: Pick<ReversalBegun, 'operationId' | 'isResumed'>,
): ReversalBegun => ({
  kind: 'begun',
  ...begun,
  reference: found.reference,
  platformReference: found.platform_reference,
  merchantName: found.merchant_name,
  serialNumber: found.serial_number,
  toMerchant: formatAmount(parseMoney(found.to_merchant)),
  serviceFee: formatAmount(parseMoney(found.service_fee)),
  provider: found.provider,
});
