import type { CaseName } from './contracts.ts';

/**
 * The ids of all workflows. An id carries the rule of uniqueness: operations that must not run
 * concurrently share one. Ids are stored in clear, so they contain no code and no phone number.
 */

/** One per operation: duplicates of a request share it. */
export const generateVoucherId = (operationId: string): string => `generate-voucher:${operationId}`;

/** One per operation: duplicates of a request share it. */
export const cancelVoucherId = (operationId: string): string => `cancel-voucher:${operationId}`;

/** One at a time per bulk order; it contains the order's number for people. */
export const generateBulkId = (bulkOrderId: number, operationId: string): string =>
  `generate-bulk:${bulkOrderId}:${operationId}`;

/** One per operation: duplicates of a request share it. */
export const resendMessageId = (operationId: string): string => `resend-message:${operationId}`;

/**
 * One per operation that makes a claim. It contains the voucher's serial number for people; that
 * number is no secret.
 */
export const claimId = (serialNumber: string, operationId: string): string =>
  `claim:${serialNumber}:${operationId}`;

/**
 * One at a time per voucher without a claim, such as an anonymous one. It is named by the operation
 * that generated the voucher, because two deployments on one Temporal server both have a voucher 1.
 */
export const redeemVoucherWithoutClaimId = (generationId: string): string =>
  `redeem-voucher:unclaimed-${generationId}`;

/** One per operation: duplicates of a request share it. It contains the redemption's id for people. */
export const reverseRedemptionId = (redemptionId: number, operationId: string): string =>
  `reverse:${redemptionId}:${operationId}`;

/** One per repair; the operation distinguishes it from a repair with this number in another database. */
export const repairWorkflowId = (repairId: number, operationId: string): string =>
  `repair:${repairId}:${operationId}`;

/** The expiry run of the workers on one task queue, started by a Schedule with this id. */
export const expireVouchersId = (taskQueue: string): string => `expire-vouchers:${taskQueue}`;

/** The reconciliation of the workers on one task queue, started by a Schedule with this id. */
export const reconcileId = (taskQueue: string): string => `reconcile:${taskQueue}`;

/** The nightly check of all books, started by a Schedule with this id. */
export const checkBooksId = (taskQueue: string): string => `check-books:${taskQueue}`;

/** The nightly archive of old transfers, started by a Schedule with this id. */
export const archiveLedgerId = (taskQueue: string): string => `archive-ledger:${taskQueue}`;

/** One at a time per merchant. Two deployments on one Temporal server both have a merchant 1. */
export const checkPayoutAccountId = (merchantId: number, taskQueue: string): string =>
  `check-payout-account:${taskQueue}:${merchantId}`;

/** The daily comparison of provider statements, started by a Schedule with this id. */
export const compareStatementsId = (taskQueue: string): string => `compare-statements:${taskQueue}`;

/** The watch on our balances at providers, started by a Schedule with this id. */
export const watchBalancesId = (taskQueue: string): string => `watch-balances:${taskQueue}`;

/**
 * One per top-up, for all its attempts. It contains the top-up's number for people; the operation
 * distinguishes it from a top-up with this number in another database, or before a restore.
 */
export const topupId = (transactionId: number | '%s', operationId: string): string =>
  `top-up:${transactionId}:${operationId}`;

/**
 * One at a time per webhook, for all its deliveries. Two deployments on one Temporal server both have a
 * webhook 1.
 */
export const deliverWebhooksId = (endpointId: number, taskQueue: string): string =>
  `webhooks:${taskQueue}:${endpointId}`;

/** The task queue of calls to receivers, so that slow ones take no places of other activities. */
export const webhookTaskQueue = (taskQueue: string): string => `${taskQueue}-webhooks`;

/**
 * One per case. Two deployments on one Temporal server have books of their own, and both have a case 1.
 */
export function caseId(name: CaseName, taskQueue: string): string {
  switch (name.kind) {
    case 'books':
      return `case:books:${taskQueue}`;
    case 'due-vouchers':
      return `case:due-vouchers:${taskQueue}:${name.partnerId}`;
    case 'refused-rows':
      return `case:refused-rows:${taskQueue}:${name.rows}`;
    case 'case':
      return `case:${taskQueue}:${name.id}`;
  }
}
