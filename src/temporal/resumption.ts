import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { LeftMessage, Resumption } from '../../activities/ports.js';
import type { finishMessage } from '../../workflows/finish-message.js';
import {
  providerHint,
  type RedeemCommand,
  type RedemptionTiming,
  type TopUpInput,
  type TopUpTiming,
} from '../../workflows/messages.js';
import type { redeemVoucher } from '../../workflows/redeem-voucher.js';
import type { topUp } from '../../workflows/top-up.js';
import { finishMessageId, type TopUpNames, topUpWorkflowId } from '../../workflows/workflow-ids.js';
import { startUnlessRunning, tellIfRunning } from './unless-running.js';
import {
  type RedeemableVoucher,
  redemptionStart,
  redemptionWorkflowId,
  topUpStart,
  WORKFLOW_TASK_TIMEOUT,
} from './workflow-starts.js';

/** Starts the workflows of money on hold for activities. */
export function createResumption(options: {
  readonly client: Client;
  readonly taskQueue: string;
  readonly timing: RedemptionTiming & TopUpTiming;
}): Resumption {
  const { client, taskQueue, timing } = options;
  const policy = { taskQueue, workflowIdConflictPolicy: 'FAIL' } as const;

  const resumeRedemption = (voucher: RedeemableVoucher, command: RedeemCommand) =>
    startUnlessRunning(() =>
      client.workflow.start<typeof redeemVoucher>('redeemVoucher', {
        ...redemptionStart(redemptionWorkflowId(voucher), {
          begin: { kind: 'redeem', redeem: command },
          timing,
        }),
        ...policy,
      }),
    );

  const resumeTopUp = (topup: TopUpNames, begin: TopUpInput['begin']) =>
    startUnlessRunning(() =>
      client.workflow.start<typeof topUp>('topUp', {
        ...topUpStart(topUpWorkflowId(topup), { begin, timing }),
        ...policy,
      }),
    );

  const resumeMessage = async (message: LeftMessage): Promise<boolean> => {
    if (await isRunning(client, redemptionWorkflowId(message))) return false;
    return startUnlessRunning(() =>
      client.workflow.start<typeof finishMessage>('finishMessage', {
        workflowId: finishMessageId(message.operationId),
        args: [{ messageId: message.id }],
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: `Orphaned message ${message.id}`,
        ...policy,
      }),
    );
  };

  const hintTopUp = (topup: TopUpNames) =>
    tellIfRunning(() => client.workflow.getHandle(topUpWorkflowId(topup)).signal(providerHint));

  return { resumeRedemption, resumeTopUp, resumeMessage, hintTopUp };
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
