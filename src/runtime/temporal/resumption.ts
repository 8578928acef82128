import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { LeftMessage, Resumption } from '../../../activities/workflow-starters.ts';
import type { ReverseRedemptionCommand } from '../../../workflows/contracts.ts';
import {
  providerHint,
  type RedeemCommand,
  type RedemptionTiming,
  type TopUpInput,
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

/** Starts the workflows of money on hold for activities. */
export function createResumption(options: {
  readonly client: Client;
  readonly taskQueue: string;
  readonly timing: RedemptionTiming & TopUpTiming;
}): Resumption {
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
    hintTopUp: hint,
    hintRedemption: (voucher) => hint(redemptionWorkflowId(voucher)),
    tellCode: (code) => tellCodeDelivery(client, code),
  };
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
