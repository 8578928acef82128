/** The most lines of one order. */
export const BULK_LINES = 10_000;

export const bulkLineStatuses = ['PENDING', 'GENERATED', 'REFUSED', 'CANCELLED'] as const;
export type BulkLineStatus = (typeof bulkLineStatuses)[number];

export const bulkOrderStatuses = ['RUNNING', 'CANCELLING', 'COMPLETED', 'CANCELLED'] as const;
export type BulkOrderStatus = (typeof bulkOrderStatuses)[number];

/** The state of an order: it follows from its lines and from the request to cancel it. */
export function bulkOrderStatus(order: {
  readonly isEnded: boolean;
  readonly isCancelRequested: boolean;
  /** Lines that the cancellation kept from being generated. */
  readonly cancelled: number;
}): BulkOrderStatus {
  if (!order.isEnded) return order.isCancelRequested ? 'CANCELLING' : 'RUNNING';
  return order.cancelled > 0 ? 'CANCELLED' : 'COMPLETED';
}
