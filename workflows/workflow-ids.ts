import type { CaseName } from './messages.js';

/**
 * The ids of all workflows. An id carries the rule of uniqueness: what may run only once at a time
 * shares one. Ids are stored in clear, so they hold no code and no number.
 */

/** One per operation: duplicates of a request meet in it. */
export const generateVoucherId = (operationId: string): string => `generate-voucher:${operationId}`;

/** One per operation that makes a claim. People read the voucher's serial number, which is no secret. */
export const claimId = (serialNumber: string, operationId: string): string =>
  `claim:${serialNumber}:${operationId}`;

/** Of claims from before their workflow's id was kept on their row. */
export const redeemVoucherByClaimId = (operationId: string): string =>
  `redeem-voucher:${operationId}`;

/** The workflow of a claim, by its row. */
export const claimWorkflowId = (claim: {
  readonly workflowId: string | null;
  readonly operationId: string;
}): string => claim.workflowId ?? redeemVoucherByClaimId(claim.operationId);

/**
 * One at a time per voucher that has no claim, such as an anonymous one; named by the operation that
 * generated it, because two deployments on one Temporal server both have a voucher 1.
 */
export const redeemVoucherWithoutClaimId = (generationId: string): string =>
  `redeem-voucher:unclaimed-${generationId}`;

/** The sweep of the workers on one task queue, which a Schedule of the same id starts. */
export const expireVouchersId = (taskQueue: string): string => `expire-vouchers:${taskQueue}`;

/** The reconciliation of the workers on one task queue, started in the same way. */
export const reconcileId = (taskQueue: string): string => `reconcile:${taskQueue}`;

/**
 * One per top-up, whatever the number of its attempts. People read its number; the operation that made
 * it tells it from a top-up of another database, or from before a restore, with the same number.
 */
export const topUpId = (transactionId: number | '%s', operationId: string): string =>
  `top-up:${transactionId}:${operationId}`;

/** Of top-ups from before their workflow's id was kept on their row. */
export const topUpByOperationId = (operationId: string): string => `top-up:${operationId}`;

/** What the row of a top-up says of its workflow. */
export interface TopUpNames {
  readonly workflowId: string | null;
  /** The operation that made the top-up. */
  readonly creationId: string;
}

/** The workflow of a top-up, by its row. */
export const topUpWorkflowId = (topup: TopUpNames): string =>
  topup.workflowId ?? topUpByOperationId(topup.creationId);

/** One at a time per message that its workflow left behind; named by the operation that queued it. */
export const finishMessageId = (operationId: string): string => `finish-message:${operationId}`;

/** One per invitation of a merchant; its id is random. */
export const inviteMerchantId = (invitationId: string): string => `invite-merchant:${invitationId}`;

/**
 * One per case: our reference of the payment, or the workers' task queue. Two deployments on one
 * Temporal server have books of their own, and both have a partner 1.
 */
export function caseId(name: CaseName, taskQueue: string): string {
  switch (name.kind) {
    case 'books':
      return `case:books:${taskQueue}`;
    case 'due-vouchers':
      return `case:due-vouchers:${taskQueue}:${name.partnerId}`;
    default:
      return `case:${name.kind}:${name.reference}`;
  }
}
