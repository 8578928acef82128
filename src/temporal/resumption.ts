import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import {
  providerHint,
  type RedeemCommand,
  type RedemptionTiming,
  type TopUpInput,
  type TopUpTiming,
} from '../../workflows/messages.js';
import type { redeemVoucher } from '../../workflows/redeem-voucher.js';
import type { topUp } from '../../workflows/top-up.js';
import { type TopUpNames, topUpWorkflowId } from '../../workflows/workflow-ids.js';
import {
  type RedeemableVoucher,
  redemptionStart,
  redemptionWorkflowId,
  topUpStart,
} from './workflow-starts.js';

export type Resumption = ReturnType<typeof createResumption>;

/**
 * Starts the workflow of money on hold anew where it does not run any more; it then asks the provider
 * before it sends anything. One that runs is left alone: its id is taken. Both return whether a
 * workflow was started.
 */
export function createResumption(options: {
  readonly client: Client;
  readonly taskQueue: string;
  readonly timing: RedemptionTiming & TopUpTiming;
}) {
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

  /** Tells a top-up that waits for a retry that there is news of it; one that has ended needs none. */
  const hintTopUp = async (topup: TopUpNames): Promise<void> => {
    try {
      await client.workflow.getHandle(topUpWorkflowId(topup)).signal(providerHint);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };

  return { resumeRedemption, resumeTopUp, hintTopUp };
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
