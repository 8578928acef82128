import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { CaseStarter, LeftMessage, Resumption } from '../../../activities/dependencies.ts';
import { isForeign } from '../../../workflows/addressed-input.ts';
import {
  providerNudge,
  type RedemptionTiming,
  type RetryCall,
  retryTopUp,
  type TopUpInput,
  type TopUpMade,
  type TopUpTiming,
} from '../../../workflows/contracts.ts';

import type { finishMessage } from '../../../workflows/finish-message.ts';
import type { followCase } from '../../../workflows/follow-case.ts';
import type { generateBulk } from '../../../workflows/generate-bulk.ts';
import type { topUp } from '../../../workflows/top-up.ts';
import {
  caseId,
  finishMessageId,
  generateBulkId,
  reverseRedemptionId,
} from '../../../workflows/workflow-ids.ts';
import type { OperationOutcome } from '../../domain/refusals.ts';
import {
  redemptionStart,
  redemptionWorkflowId,
  reversalStart,
  type StartNames,
  startOf,
  startUnlessRunning,
  tellCodeDelivery,
  tellIfRunning,
  topUpStart,
} from './workflow-starts.ts';

interface StarterOptions {
  readonly client: Client;
  readonly taskQueue: string;
}

/** Starts the workflow of a recorded bulk order; false where it runs. */
export const startBulkOrder = (
  options: StarterOptions,
  order: { readonly id: number; readonly operationId: string; readonly partnerId: number },
): Promise<boolean> =>
  startUnlessRunning(
    options,
    startOf<typeof generateBulk>('generateBulk', {
      operation: 'generate-bulk',
      workflowId: generateBulkId(order.id, order.operationId),
      args: [{ bulkOrderId: order.id }],
      names: { partnerId: order.partnerId },
      summary: `Bulk order ${order.id}`,
    }),
  );

/** Starts the workflows of cases for activities. */
export const createCaseStarter = (
  options: StarterOptions & {
    /** Interval at which a case checks whether it is settled. */
    readonly intervalMs: number;
  },
): CaseStarter => ({
  start: (name, summary, names) =>
    startUnlessRunning(
      options,
      startOf<typeof followCase>('followCase', {
        operation: 'case',
        workflowId: caseId(name, options.taskQueue),
        args: [{ name, intervalMs: options.intervalMs }],
        names,
        summary,
      }),
    ),
});

interface ResumptionOptions extends StarterOptions {
  readonly timing: RedemptionTiming & TopUpTiming;
}

/** Starts the workflows of money on hold for activities. */
export function createResumption(options: ResumptionOptions): Resumption {
  const { client, timing } = options;

  const resumeMessage = async (message: LeftMessage, names: StartNames): Promise<boolean> => {
    if (await isRunning(client, redemptionWorkflowId(message))) return false;
    return startUnlessRunning(
      options,
      startOf<typeof finishMessage>('finishMessage', {
        operation: 'finish-message',
        workflowId: finishMessageId(message.operationId),
        args: [{ messageId: message.id }],
        names,
        summary: `Orphaned message ${message.id}`,
      }),
    );
  };

  const nudge = (workflowId: string) =>
    tellIfRunning(() => client.workflow.getHandle(workflowId).signal(providerNudge));

  return {
    resumeRedemption(voucher, redeem, names) {
      const input = { begin: { kind: 'redeem', redeem }, timing } as const;
      return startUnlessRunning(
        options,
        redemptionStart(redemptionWorkflowId(voucher), input, names),
      );
    },
    resumeReversal: (command, names) =>
      startUnlessRunning(options, reversalStart({ command, timing }, names)),
    resumeTopUp: (workflowId, begin, names) =>
      startUnlessRunning(options, topUpStart(workflowId, { begin, timing }, names)),
    resumeMessage,
    resumeBulkOrder: (order) => startBulkOrder(options, order),
    retryTopUp: (call, waitMs) => outcomeOfRetry(options, call, waitMs),
    nudgeTopUp: nudge,
    nudgeRedemption: (voucher) => nudge(redemptionWorkflowId(voucher)),
    nudgeReversal: ({ redemptionId, operationId }) =>
      nudge(reverseRedemptionId(redemptionId, operationId)),
    tellCode: (code) => tellCodeDelivery(client, code),
  };
}

async function outcomeOfRetry(
  { client, taskQueue, timing }: ResumptionOptions,
  { workflowId, numberHash, command }: RetryCall,
  waitMs: number,
): Promise<OperationOutcome<TopUpMade> | undefined> {
  const input: TopUpInput = { begin: { kind: 'retry', command }, timing };
  const { workflow, options: start } = topUpStart(workflowId, input, { numberHash });
  try {
    return await client.withDeadline(Date.now() + waitMs, async () => {
      const update = await client.workflow.startUpdateWithStart(retryTopUp, {
        args: [command],
        updateId: command.operationId,
        waitForStage: 'ACCEPTED',
        startWorkflowOperation: new WithStartWorkflowOperation<typeof topUp>(workflow, {
          ...start,
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      });
      const outcome = await update.result();
      return isForeign(outcome) ? undefined : outcome;
    });
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return undefined;
    throw error;
  }
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
