import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type {
  RedeemCommand,
  RedemptionTiming,
  TopUpInput,
  TopUpTiming,
} from '../../workflows/messages.js';
import type { redeemVoucher } from '../../workflows/redeem-voucher.js';
import type { topUp } from '../../workflows/top-up.js';
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

  const resumeTopUp = (creationId: string, begin: TopUpInput['begin']) =>
    unlessRunning(() =>
      client.workflow.start<typeof topUp>('topUp', {
        ...topUpStart(creationId, { begin, timing }),
        ...policy,
      }),
    );

  return { resumeRedemption, resumeTopUp };
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
