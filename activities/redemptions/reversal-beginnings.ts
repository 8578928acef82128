import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { beginOperation, refuseOperation } from '../../src/db/operations/operations.ts';
import {
  findReversal,
  insertReversal,
  reversalContext,
  voucherOfRedemption,
} from '../../src/db/vouchers/reversals.ts';
import { lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import { refuseReversal } from '../../src/domain/vouchers/reversal.ts';
import type { OperationOutcome } from '../../workflows/contracts.ts';
import type {
  RedemptionReversed,
  ReverseRedemptionCommand,
} from '../../workflows/reversal/contracts.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { canReverse } from './reversal-calls.ts';

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
  /** Who made the payment, and is asked to take it back; null is the default of a time before routes. */
  readonly provider: string | null;
}

export interface ReversalAnswered {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<RedemptionReversed>;
}

type FoundReversal = Awaited<ReturnType<typeof findReversal>>;

/** Records a reversal before it is sent, or answers the refusal. */
export async function beginOrAnswer(
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
  const { credential } = company;
  // A repair has judged the time: where it is over, a second person has confirmed the repair.
  const isOfRepair = credential !== undefined && 'repairId' in credential;
  const secondsSincePayment = isOfRepair ? 0 : context.secondsSincePayment;
  const isOwn = company.kind === 'merchant' && merchantId === company.id;
  return refuseReversal(
    {
      ...context,
      redemption:
        status === null || !isOwn ? undefined : { ...context, status, secondsSincePayment },
      providerCanReverse: canReverse(mobileMoney, context.provider),
    },
    limits.reversalWindowSeconds,
  );
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
