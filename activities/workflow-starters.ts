import type { ReportedCode } from '../src/domain/vouchers/messages.ts';
import type { RedeemableVoucher, StartNames } from '../src/runtime/temporal/workflow-starts.ts';
import type {
  CaseName,
  OperationOutcome,
  RedeemCommand,
  RetryCall,
  ReverseRedemptionCommand,
  TopUpInput,
  TopUpMade,
} from '../workflows/contracts.ts';

/** An orphaned message, and the voucher of its workflow. */
export interface LeftMessage extends RedeemableVoucher {
  readonly id: number;
  /** The claim, redemption or reversal that queued it. */
  readonly operationId: string;
}

/**
 * Starts a workflow for money on hold without a running one; it asks the provider before it sends.
 * A running workflow is not touched: its id is taken. All functions but the last four return whether a
 * workflow was started.
 */
export interface Resumption {
  resumeRedemption(
    voucher: RedeemableVoucher,
    command: RedeemCommand,
    names: StartNames,
  ): Promise<boolean>;
  resumeReversal(command: ReverseRedemptionCommand, names: StartNames): Promise<boolean>;
  resumeTopUp(workflowId: string, begin: TopUpInput['begin'], names: StartNames): Promise<boolean>;
  /** Starts a workflow for a message whose own workflow no longer runs. */
  resumeMessage(message: LeftMessage, names: StartNames): Promise<boolean>;
  /** Starts the workflow of a bulk order. */
  resumeBulkOrder(order: {
    readonly id: number;
    readonly operationId: string;
    readonly partnerId: number;
  }): Promise<boolean>;
  /** Starts the workflow that sends monthly statements. */
  startStatements(): Promise<boolean>;
  /**
   * Sends a retry to the workflow that waits for it, or to its successor. It is one operation, even if it is
   * sent repeatedly. Returns its outcome; undefined where it is not known in this time.
   */
  retryTopUp(call: RetryCall, waitMs: number): Promise<OperationOutcome<TopUpMade> | undefined>;
  /** Signals a changed top-up that waits for a retry; a completed workflow does not need it. */
  hintTopUp(workflowId: string): Promise<void>;
  /** Signals the redemption that a voucher is held for to ask its provider now. */
  hintRedemption(voucher: RedeemableVoucher): Promise<void>;
  /** Tells the workflow of a waiting claim what was reported about its code; it only shows it. */
  tellCode(code: ReportedCode): Promise<void>;
}

/** Starts the workflows that show cases to people, one per case. */
export interface CaseStarter {
  /** Returns whether it was started: false where the case already has a running workflow. */
  start(name: CaseName, summary: string, names: StartNames): Promise<boolean>;
}
