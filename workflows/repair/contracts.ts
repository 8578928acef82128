import type { CancelVoucherCommand, ResendMessageCommand } from '../contracts.ts';
import type { ReversalTiming, ReverseRedemptionCommand } from '../reversal/contracts.ts';

/** What a repair does besides its own transaction: always the way that such an operation has anyway. */
export type RepairCall =
  | { readonly kind: 'cancel-voucher'; readonly command: CancelVoucherCommand }
  | { readonly kind: 'resend-message'; readonly command: ResendMessageCommand }
  | { readonly kind: 'reverse-redemption'; readonly command: ReverseRedemptionCommand }
  /** One more attempt, by the workflow of the top-up. */
  | { readonly kind: 'retry-top-up'; readonly operatorCommandId: number }
  /** The workflow that holds the money takes over what a person has decided. */
  | { readonly kind: 'settle'; readonly of: 'redemption' | 'topup'; readonly operationId: string };

/** A repair by its row, which has everything else. */
export interface RepairName {
  readonly repairId: number;
  readonly operationId: string;
}

export interface RepairInput extends RepairName {
  readonly timing: ReversalTiming;
}
