import { defineUpdate } from '@temporalio/workflow';
import type { OperationOutcome, OperationRequest } from '../contracts.ts';
import type { HintLimit } from '../steps/hints.ts';

/** A merchant's request to take the payment of a redemption back. */
export interface ReverseRedemptionCommand extends OperationRequest {
  readonly redemptionId: number;
  /** In the merchant's words. */
  readonly reason: string | null;
}

export interface RedemptionReversed {
  readonly ok: true;
  /** Decimal string: the value that was returned. */
  readonly amount: string;
  /** Where it went: back to the voucher, or to the partner's gift wallet. */
  readonly creditedTo: 'voucher' | 'gift';
  readonly providerReference: string;
}

export interface ReversalTiming extends HintLimit {
  readonly inquiryIntervalMs: number;
  readonly alarmAfterMs: number;
}

export interface ReverseRedemptionInput {
  readonly command: ReverseRedemptionCommand;
  readonly timing: ReversalTiming;
}

/** The reversal that started the workflow, once its outcome is known. */
export const reversalResult = defineUpdate<OperationOutcome<RedemptionReversed>, []>(
  'reversalResult',
);
