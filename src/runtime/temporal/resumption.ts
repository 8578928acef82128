import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { LeftMessage, Resumption } from '../../../activities/workflow-starters.ts';
import { isForeign } from '../../../workflows/addressed-input.ts';
import {
  type OperationOutcome,
  providerHint,
  type RedeemCommand,
  type RedemptionTiming,
  type RetryCall,
  type ReverseRedemptionCommand,
  retryTopUp,
  type TopUpInput,
  type TopUpMade,
  type TopUpTiming,
} from '../../../workflows/contracts.ts';
import type { finishMessage } from '../../../workflows/finish-message.ts';
import type { redeemVoucher } from '../../../workflows/redeem-voucher.ts';
import type { reverseRedemption } from '../../../workflows/reverse-redemption.ts';
import type { sendStatements } from '../../../workflows/send-reports.ts';
import type { topUp } from '../../../workflows/top-up.ts';
import { finishMessageId, sendStatementsId } from '../../../workflows/workflow-ids.ts';
import { startBulkOrder } from './starters.ts';
import {
  type RedeemableVoucher,
  redemptionStart,
  redemptionWorkflowId,
  reversalStart,
  type StartNames,
  searchAttributesOf,
  startUnlessRunning,
  tellCodeDelivery,
  tellIfRunning,
  topUpStart,
  WORKFLOW_TASK_TIMEOUT,
} from './workflow-starts.ts';

interface ResumptionOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly timing: RedemptionTiming & TopUpTiming;
}

/** Starts the workflows of money on hold for activities. */
export function createResumption(options: ResumptionOptions): Resumption {
  const { client, taskQueue, timing } = options;
  const policy = { taskQueue, workflowIdConflictPolicy: 'FAIL' } as const;

  const resumeRedemption = (
    voucher: RedeemableVoucher,
    command: RedeemCommand,
    names: StartNames,
  ) =>
    startUnlessRunning(() =>
      client.workflow.start<typeof redeemVoucher>('redeemVoucher', {
        ...redemptionStart(
          redemptionWorkflowId(voucher),
          { begin: { kind: 'redeem', redeem: command }, timing },
          names,
        ),
        ...policy,
      }),
    );

  const resumeReversal = (command: ReverseRedemptionCommand, names: StartNames) =>
    startUnlessRunning(() =>
      client.workflow.start<typeof reverseRedemption>('reverseRedemption', {
        ...reversalStart({ command, timing }, names),
        ...policy,
      }),
    );

  const resumeTopUp = (workflowId: string, begin: TopUpInput['begin'], names: StartNames) =>
    startUnlessRunning(() =>
      client.workflow.start<typeof topUp>('topUp', {
        ...topUpStart(workflowId, { begin, timing }, names),
        ...policy,
      }),
    );

  const resumeMessage = async (message: LeftMessage, names: StartNames): Promise<boolean> => {
    if (await isRunning(client, redemptionWorkflowId(message))) return false;
    return startUnlessRunning(() =>
      client.workflow.start<typeof finishMessage>('finishMessage', {
        workflowId: finishMessageId(message.operationId),
        args: [{ messageId: message.id }],
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: `Orphaned message ${message.id}`,
        ...searchAttributesOf('finish-message', names),
        ...policy,
      }),
    );
  };

  const startStatements = () =>
    startUnlessRunning(() =>
      client.workflow.start<typeof sendStatements>('sendStatements', {
        workflowId: sendStatementsId(taskQueue),
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: 'Monthly statements by e-mail',
        ...searchAttributesOf('send-statements', {}),
        ...policy,
      }),
    );

  const hint = (workflowId: string) =>
    tellIfRunning(() => client.workflow.getHandle(workflowId).signal(providerHint));

  return {
    resumeRedemption,
    resumeReversal,
    resumeTopUp,
    resumeMessage,
    resumeBulkOrder: (order) => startBulkOrder(options, order),
    startStatements,
    retryTopUp: (call, waitMs) => outcomeOfRetry(options, call, waitMs),
    hintTopUp: hint,
    hintRedemption: (voucher) => hint(redemptionWorkflowId(voucher)),
    tellCode: (code) => tellCodeDelivery(client, code),
  };
}

async function outcomeOfRetry(
  { client, taskQueue, timing }: ResumptionOptions,
  { workflowId, numberHash, command }: RetryCall,
  waitMs: number,
): Promise<OperationOutcome<TopUpMade> | undefined> {
  const input: TopUpInput = { begin: { kind: 'retry', command }, timing };
  try {
    return await client.withDeadline(Date.now() + waitMs, async () => {
      const update = await client.workflow.startUpdateWithStart(retryTopUp, {
        args: [command],
        updateId: command.operationId,
        waitForStage: 'ACCEPTED',
        startWorkflowOperation: new WithStartWorkflowOperation<typeof topUp>('topUp', {
          ...topUpStart(workflowId, input, { numberHash }),
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
