import { companyAuthority } from '../../src/db/access/access.ts';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { beginOperation, refuseOperation, settleOperation } from '../../src/db/operations.ts';
import { isBlocked } from '../../src/db/positions/cases.ts';
import { cancelLockedVoucher, returnedByCancellation } from '../../src/db/vouchers/cancellation.ts';
import { type EndedClaim, lastEndedClaim } from '../../src/db/vouchers/claims.ts';
import { lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { refusePartner } from '../../src/domain/access.ts';
import type { OperationOutcome } from '../../src/domain/refusals.ts';
import { refuseCancellation } from '../../src/domain/vouchers/voucher.ts';
import type { CancelVoucherCommand, VoucherCancelled } from '../../workflows/contracts.ts';
import { outcomeAfter, runStep } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const KIND = 'cancel-voucher';

/** The answer of a cancellation, and the claim that it ended. */
interface CancellationResult {
  readonly outcome: OperationOutcome<VoucherCancelled>;
  readonly endedClaim: EndedClaim | null;
}

export function createCancellationActivities({ database }: ActivityDependencies) {
  /**
   * Cancels a voucher of a partner in one transaction, or answers the refusal; idempotent by
   * operation. A voucher that is cancelled already answers what its cancellation returned.
   */
  async function cancelVoucher(command: CancelVoucherCommand): Promise<CancellationResult> {
    try {
      return await database
        .transaction()
        .execute((transaction) => cancelOrAnswer(transaction, command));
    } catch (error) {
      return withoutClaim(await outcomeAfter(database, command, error));
    }
  }

  return { cancelVoucher };
}

const withoutClaim = (outcome: CancellationResult['outcome']): CancellationResult => ({
  outcome,
  endedClaim: null,
});

/** The answer of an earlier attempt, after which the workflow of the claim may not have been told. */
async function answeredBefore(
  transaction: DatabaseTransaction,
  { voucherId }: CancelVoucherCommand,
  outcome: CancellationResult['outcome'],
): Promise<CancellationResult> {
  if (!outcome.result.ok) return withoutClaim(outcome);
  return {
    outcome,
    endedClaim: await lastEndedClaim(transaction, { voucherId, status: 'CANCELLED' }),
  };
}

async function cancelOrAnswer(
  transaction: DatabaseTransaction,
  command: CancelVoucherCommand,
): Promise<CancellationResult> {
  const begun = await beginOperation<VoucherCancelled>(transaction, command, KIND);
  if (begun.kind === 'answered') return answeredBefore(transaction, command, begun.outcome);
  const found = await lockVoucher(transaction, command.voucherId);
  const voucher = found?.partner_id === command.company.id ? found : undefined;
  const refusal =
    refusePartner(await companyAuthority(transaction, command.company, KIND)) ??
    refuseCancellation({
      status: voucher?.status,
      isBlocked: voucher !== undefined && (await isBlocked(transaction, voucher.id)),
    });
  if (refusal) return withoutClaim(await refuseOperation(transaction, command, refusal));
  if (!voucher) throw new Error('The cancellation of an unknown voucher was not refused');
  const isDone = voucher.status === 'CANCELLED';
  const returned = isDone
    ? await returnedByCancellation(transaction, voucher.id)
    : voucher.remaining;
  const endedClaim = isDone
    ? null
    : await runStep('reserve-not-updated', () => cancelLockedVoucher(transaction, voucher));
  const outcome = await settleOperation(transaction, command.operationId, 'SUCCEEDED', {
    ok: true,
    voucherId: voucher.id,
    returned,
  });
  return { outcome, endedClaim };
}
