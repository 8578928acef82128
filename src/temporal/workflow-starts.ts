import type { RedeemVoucherInput, TopUpInput } from '../../workflows/contracts.js';
import type { ReverseRedemptionInput } from '../../workflows/reversal/contracts.js';
import { voucherSerial } from '../../workflows/search-attributes.js';
import {
  claimId,
  claimWorkflowId,
  redeemVoucherWithoutClaimId,
  reverseRedemptionId,
} from '../../workflows/workflow-ids.js';

/** After this time another worker takes over the task of a dead one. */
export const WORKFLOW_TASK_TIMEOUT = '5s';

/** A voucher with the data that names the workflow of its redemption. */
export interface RedeemableVoucher {
  /** The operation that generated it. */
  readonly generationId: string;
  /** The operation of its live claim. */
  readonly claimOperationId: string | null;
  /** Null for a claim older than stored workflow ids. */
  readonly claimWorkflowId: string | null;
}

/** The workflow of a voucher's live claim, or a separate one for a redemption without a claim. */
export const redemptionWorkflowId = (voucher: RedeemableVoucher): string =>
  voucher.claimOperationId === null
    ? redeemVoucherWithoutClaimId(voucher.generationId)
    : claimWorkflowId({
        workflowId: voucher.claimWorkflowId,
        operationId: voucher.claimOperationId,
      });

/** A voucher with the data that names the workflow of its claim. */
export interface ClaimableVoucher extends RedeemableVoucher {
  readonly serialNumber: string;
}

/**
 * The workflow of a requested claim: that of the live claim if the operation made it, else a new
 * one.
 */
export const claimIdFor = (voucher: ClaimableVoucher, operationId: string): string =>
  voucher.claimOperationId === operationId
    ? redemptionWorkflowId(voucher)
    : claimId(voucher.serialNumber, operationId);

/** Start options of a claim's or redemption's workflow, for all callers. */
export const redemptionStart = (
  workflowId: string,
  input: RedeemVoucherInput,
  /** Of the claimed voucher; found by it without a further write of the workflow. */
  serialNumber?: string,
) => ({
  ...(serialNumber === undefined
    ? {}
    : { typedSearchAttributes: [{ key: voucherSerial, value: serialNumber }] }),
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

/** Start options of a reversal's workflow, for all callers. */
export const reversalStart = (input: ReverseRedemptionInput) => ({
  workflowId: reverseRedemptionId(input.command.redemptionId, input.command.operationId),
  args: [input] as [ReverseRedemptionInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary:
    `Reversal of redemption ${input.command.redemptionId} by merchant ` +
    `${input.command.company.id}`,
});

/** Start options of a top-up's workflow, for all callers. */
export const topUpStart = (workflowId: string, input: TopUpInput) => ({
  workflowId,
  args: [input] as [TopUpInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary:
    `Top-up ${input.begin.command.transactionId} of ` + `partner ${input.begin.command.company.id}`,
});
