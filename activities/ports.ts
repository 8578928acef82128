import type { RedeemableVoucher } from '../src/temporal/workflow-starts.js';
import type { CaseName, RedeemCommand, TopUpInput } from '../workflows/messages.js';
import type { TopUpNames } from '../workflows/workflow-ids.js';

/** A message that its workflow left behind, and the voucher whose workflow that was. */
export interface LeftMessage extends RedeemableVoucher {
  readonly id: number;
  /** The claim or the redemption that queued it. */
  readonly operationId: string;
}

/**
 * Starts the workflow of money on hold where it does not run any more; it then asks the provider before
 * it sends anything. One that runs is left alone: its id is taken. All but the last return whether a
 * workflow was started.
 */
export interface Resumption {
  resumeRedemption(voucher: RedeemableVoucher, command: RedeemCommand): Promise<boolean>;
  resumeTopUp(topup: TopUpNames, begin: TopUpInput['begin']): Promise<boolean>;
  /** Starts a workflow for a message whose own does not run any more, and so cannot come back. */
  resumeMessage(message: LeftMessage): Promise<boolean>;
  /** Tells a top-up that waits for a retry that there is news of it; one that has ended needs none. */
  hintTopUp(topup: TopUpNames): Promise<void>;
}

/** Starts the workflows by which people find what they must look at, one per case. */
export interface CaseStarter {
  /** Returns whether it was started: false where the case has a workflow that runs. */
  start(name: CaseName, summary: string): Promise<boolean>;
}
