import type { Database } from '../../src/db/connection.ts';
import { recordedRetry } from '../../src/db/operations/operator-commands.ts';
import { heldAttempt, heldRedemption } from '../../src/db/reconciliation/held-payments.ts';
import { statusOf } from '../../src/db/repairs/payment-facts.ts';
import { findRepair, settledByHand } from '../../src/db/repairs/repair-lists.ts';
import { SETTLED_BY_HAND } from '../../src/domain/providers/not-done-by.ts';
import type { ProviderInquiry } from '../../src/providers/outcome.ts';
import type { OperationOutcome, TopUpMade } from '../../workflows/contracts.ts';
import type { RepairCall } from '../../workflows/repair/contracts.ts';
import { refusedByDatabase } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import {
  attemptBeginOf,
  namesOfAttempt,
  namesOfRedemption,
  redeemCommandOf,
} from '../reconciliation/resumption.ts';
import type { RepairOutcome } from './repairs.ts';

/** The longest wait of one step for the outcome of a retry. */
const RETRY_WAIT_MS = 10_000;

type Settlement = Extract<RepairCall, { kind: 'settle' }>;

/** A booked ending in the words of people. */
const endings = {
  redemption: { done: 'as paid', 'not-done': 'as not paid' },
  topup: { done: 'as delivered', 'not-done': 'as not delivered' },
} as const;

export function createSettlementActivities(dependencies: ActivityDependencies) {
  const { database, resumption, operatorRetries, numbers } = dependencies;

  /**
   * Lets the workflow that holds the money ask its provider once more at once. It takes over what was
   * decided by hand where the provider does not say; a workflow that is gone is started again.
   */
  async function pressSettlement(call: Settlement): Promise<void> {
    if (call.of === 'redemption') {
      const held = await heldRedemption(database, call.operationId);
      if (!held) return;
      const voucher = {
        generationId: held.generation_id,
        claimOperationId: held.claim_operation_id,
        claimWorkflowId: held.claim_workflow_id,
      };
      const names = namesOfRedemption(held, numbers);
      if (!(await resumption.resumeRedemption(voucher, redeemCommandOf(held), names)))
        await resumption.hintRedemption(voucher);
      return;
    }
    const held = await heldAttempt(database, call.operationId);
    if (!held) return;
    const names = namesOfAttempt(held, numbers);
    if (!(await resumption.resumeTopUp(held.workflow_id, attemptBeginOf(held), names)))
      await resumption.hintTopUp(held.workflow_id);
  }

  /** What came of a settlement by hand; undefined while the money is on hold. */
  async function readSettlement(
    repairId: number,
    call: Settlement,
  ): Promise<RepairOutcome | undefined> {
    const status = await statusOf(database, call.of, call.operationId);
    if (status === 'HELD') return undefined;
    const row = await findRepair(database, repairId);
    const booked = status === 'POSTED' ? 'done' : 'not-done';
    const words = endings[call.of][booked];
    return row?.arguments.outcome === booked
      ? { isDone: true, words: `It is booked ${words}.` }
      : {
          isDone: false,
          words: `The provider has answered by itself, and its answer is booked: ${words}.`,
        };
  }

  /** Makes the attempt of a repair; undefined while its outcome is not known. */
  const retryForRepair = async (
    operatorCommandId: number,
  ): Promise<OperationOutcome<TopUpMade> | undefined> =>
    operatorRetries.outcomeOf(await recordedRetry(database, operatorCommandId), RETRY_WAIT_MS);

  return {
    pressSettlement: (call: Settlement) => refusedByDatabase(() => pressSettlement(call)),
    readSettlement: (repairId: number, call: Settlement) =>
      refusedByDatabase(() => readSettlement(repairId, call)),
    retryForRepair: (operatorCommandId: number) =>
      refusedByDatabase(() => retryForRepair(operatorCommandId)),
  };
}

/**
 * The outcome of an inquiry, or what a person decided where the provider does not say. A workflow asks
 * only when it is not sending, and after the answer it never sends again: so nothing is sent after it was
 * settled as not done.
 */
export async function orSettledByHand(
  database: Database,
  operationId: string,
  found: ProviderInquiry,
): Promise<ProviderInquiry> {
  if (found.kind === 'delivered' || found.kind === 'refused') return found;
  const decided = await settledByHand(database, operationId);
  if (!decided) return found;
  return decided.isDone
    ? { kind: 'delivered', providerReference: decided.reference }
    : {
        kind: 'refused',
        code: SETTLED_BY_HAND,
        // Callers read it: the reference and the repair are for staff, who find them by the case.
        message: 'settled by hand as not done',
        retryCanHelp: true,
      };
}
