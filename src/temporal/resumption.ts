import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Resumption } from '../../activities/ports.js';
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
import {
  type RedeemableVoucher,
  redemptionStart,
  redemptionWorkflowId,
  topUpStart,
  WORKFLOW_TASK_TIMEOUT,
} from './workflow-starts.js';

/** The workflows that activities start for money on hold. */
export function createResumption(options: {
  readonly client: Client;
  readonly taskQueue: string;
  readonly timing: RedemptionTiming & TopUpTiming;
}): Resumption {
  const { client, taskQueue, timing } = options;
  const policy = { taskQueue, workflowIdConflictPolicy: 'FAIL' } as const;

  const resumeRedemption = (voucher: RedeemableVoucher, command: RedeemCommand) =>
    unlessRunning(() =>
      client.workflow.start<typeof redeemVoucher>('redeemVoucher', {
        ...redemptionStart(redemptionWorkflowId(voucher), {
          begin: { kind: 'redeem', redeem: command },
          timing,
        }),
        ...policy,
      }),
    );

  const resumeTopUp = (topup: TopUpNames, begin: TopUpInput['begin']) =>
    unlessRunning(() =>
      client.workflow.start<typeof topUp>('topUp', {
        ...topUpStart(topUpWorkflowId(topup), { begin, timing }),
        ...policy,
      }),
    );

  const resumeMessage = async (
    message: RedeemableVoucher & { readonly id: number; readonly operationId: string },
  ): Promise<boolean> => {
    if (await isRunning(client, redemptionWorkflowId(message))) return false;
    return unlessRunning(() =>
      client.workflow.start<typeof finishMessage>('finishMessage', {
        workflowId: finishMessageId(message.operationId),
        args: [{ messageId: message.id }],
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: `Message ${message.id}, which its workflow left behind`,
        ...policy,
      }),
    );
  };

  const hintTopUp = async (topup: TopUpNames): Promise<void> => {
    try {
      await client.workflow.getHandle(topUpWorkflowId(topup)).signal(providerHint);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };

  return { resumeRedemption, resumeTopUp, resumeMessage, hintTopUp };
}

async function unlessRunning(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
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
