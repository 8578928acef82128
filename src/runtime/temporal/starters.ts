import { type Client, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { isForeign } from '../../../workflows/addressed-input.ts';
import {
  type CaseInput,
  type CaseName,
  type GenerateBulkInput,
  providerNudge,
  type RedeemCommand,
  type RedemptionTiming,
  type RetryCall,
  type ReverseRedemptionCommand,
  retryTopup,
  type TopupInput,
  type TopupMade,
  type TopupTiming,
} from '../../../workflows/contracts.ts';
import { caseId, generateBulkId, reverseRedemptionId } from '../../../workflows/workflow-ids.ts';
import type { OperationOutcome } from '../../domain/refusals.ts';
import type { ReportedCode } from '../../domain/vouchers/messages.ts';
import {
  type RedeemableVoucher,
  redemptionStart,
  redemptionWorkflowId,
  reversalStart,
  type StartNames,
  startOf,
  startUnlessRunning,
  tellCodeDelivery,
  tellIfRunning,
  topupStart,
  updateWithStart,
} from './workflow-starts.ts';

interface StarterOptions {
  readonly client: Client;
  readonly taskQueue: string;
}

/** A workflow whose result the service does not read here. */
type Started<Input> = (input: Input) => Promise<unknown>;

/** A bulk order as its row names it. */
interface RecordedOrder {
  readonly id: number;
  readonly operationId: string;
  readonly partnerId: number;
}

/** Starts the workflow of a recorded bulk order; false where it runs. */
export const startBulkOrder = (options: StarterOptions, order: RecordedOrder): Promise<boolean> =>
  startUnlessRunning(
    options,
    startOf<Started<GenerateBulkInput>>('generateBulk', {
      operation: 'generate-bulk',
      workflowId: generateBulkId(order.id, order.operationId),
      args: [{ bulkOrderId: order.id }],
      names: { partnerId: order.partnerId },
      summary: `Bulk order ${order.id}`,
    }),
  );

interface StartersOptions extends StarterOptions {
  readonly timing: RedemptionTiming & TopupTiming;
  /** Interval at which a case checks whether it is settled. */
  readonly caseIntervalMs: number;
}

export type Starters = ReturnType<typeof createStarters>;

/**
 * What activities ask of workflows. `resume…` starts a workflow for money on hold without a running one; it asks the
 * provider before it sends. A running workflow is not touched, because its id is taken. `resume…` and `startCase`
 * return whether a workflow was started.
 */
export function createStarters(options: StartersOptions) {
  const { client, taskQueue, timing } = options;
  const nudge = (workflowId: string): Promise<void> =>
    tellIfRunning(() => client.workflow.getHandle(workflowId).signal(providerNudge));
  return {
    resumeRedemption(voucher: RedeemableVoucher, redeem: RedeemCommand, names: StartNames) {
      const input = { begin: { kind: 'redeem', redeem }, timing } as const;
      return startUnlessRunning(
        options,
        redemptionStart(redemptionWorkflowId(voucher), input, names),
      );
    },
    resumeReversal: (command: ReverseRedemptionCommand, names: StartNames) =>
      startUnlessRunning(options, reversalStart({ command, timing }, names)),
    resumeTopup: (workflowId: string, begin: TopupInput['begin'], names: StartNames) =>
      startUnlessRunning(options, topupStart(workflowId, { begin, timing }, names)),
    resumeBulkOrder: (order: RecordedOrder) => startBulkOrder(options, order),
    /** Starts the workflow that shows a case to people, one per case. */
    startCase: (name: CaseName, summary: string, names: StartNames) =>
      startUnlessRunning(
        options,
        startOf<Started<CaseInput>>('followCase', {
          operation: 'case',
          workflowId: caseId(name, taskQueue),
          args: [{ name, intervalMs: options.caseIntervalMs }],
          names,
          summary,
        }),
      ),
    /**
     * Sends a retry to the workflow that waits for it, or to its successor. It is one operation, even if it is
     * sent repeatedly. Returns its outcome; undefined where it is not known in this time.
     */
    retryTopup: (call: RetryCall, waitMs: number) => outcomeOfRetry(options, call, waitMs),
    /** Signals a changed top-up that waits for a retry; a completed workflow does not need it. */
    nudgeTopup: nudge,
    /** Signals the redemption that a voucher is held for to ask its provider now. */
    nudgeRedemption: (voucher: RedeemableVoucher) => nudge(redemptionWorkflowId(voucher)),
    /** Signals a reversal to ask its provider now. */
    nudgeReversal: ({
      redemptionId,
      operationId,
    }: Pick<ReverseRedemptionCommand, 'redemptionId' | 'operationId'>) =>
      nudge(reverseRedemptionId(redemptionId, operationId)),
    /** Tells the workflow of a waiting claim the delivery report about its code, which the workflow shows. */
    tellCode: (code: ReportedCode) => tellCodeDelivery(client, code),
  };
}

async function outcomeOfRetry(
  options: StartersOptions,
  { workflowId, numberHash, command }: RetryCall,
  waitMs: number,
): Promise<OperationOutcome<TopupMade> | undefined> {
  const input = { begin: { kind: 'retry', command }, timing: options.timing } as const;
  const start = topupStart(workflowId, input, { numberHash });
  try {
    const outcome = await options.client.withDeadline(Date.now() + waitMs, () =>
      updateWithStart(options, start, retryTopup, {
        args: [command],
        updateId: command.operationId,
      }),
    );
    return isForeign(outcome) ? undefined : outcome;
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return undefined;
    throw error;
  }
}
