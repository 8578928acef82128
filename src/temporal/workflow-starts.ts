import type { RedeemVoucherInput, TopUpInput } from '../../workflows/messages.js';
import {
  claimId,
  claimWorkflowId,
  redeemVoucherWithoutClaimId,
} from '../../workflows/workflow-ids.js';

/** So soon another worker takes over what one was doing when it died. */
export const WORKFLOW_TASK_TIMEOUT = '5s';

/** A voucher as the workflow of its redemption is named after it. */
export interface RedeemableVoucher {
  /** The operation that generated it. */
  readonly generationId: string;
  /** The operation that made its live claim. */
  readonly claimOperationId: string | null;
  /** Null of a claim from before its workflow's id was kept. */
  readonly claimWorkflowId: string | null;
}

/** The workflow of a voucher's live claim, or one of its own for a redemption without a claim. */
export const redemptionWorkflowId = (voucher: RedeemableVoucher): string =>
  voucher.claimOperationId === null
    ? redeemVoucherWithoutClaimId(voucher.generationId)
    : claimWorkflowId({
        workflowId: voucher.claimWorkflowId,
        operationId: voucher.claimOperationId,
      });

/** A voucher as the workflow of a claim of it is named after it. */
export interface ClaimableVoucher extends RedeemableVoucher {
  readonly serialNumber: string;
}

/** The workflow of a claim that is asked for: of the live one where it is that, else a new one. */
export const claimIdFor = (voucher: ClaimableVoucher, operationId: string): string =>
  voucher.claimOperationId === operationId
    ? redemptionWorkflowId(voucher)
    : claimId(voucher.serialNumber, operationId);

/** How a claim's or redemption's workflow is started, whoever starts it. */
export const redemptionStart = (workflowId: string, input: RedeemVoucherInput) => ({
  workflowId,
  args: [input] as [RedeemVoucherInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary: describe(input),
});

function describe({ begin }: RedeemVoucherInput): string {
  const { company, voucherId } = begin.kind === 'claim' ? begin.claim : begin.redeem;
  const what = begin.kind === 'claim' ? 'Claim' : 'Redemption';
  return `${what} of voucher ${voucherId} by ${company.kind} ${company.id}`;
}

/** How a top-up's workflow is started, whoever starts it. */
export const topUpStart = (workflowId: string, input: TopUpInput) => ({
  workflowId,
  args: [input] as [TopUpInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary:
    `Top-up ${input.begin.command.transactionId} of ` + `partner ${input.begin.command.company.id}`,
});
