import { z } from 'zod';
import type { BulkOrder } from '../../db/bulk/bulk-orders.ts';
import { bulkOrderStatus, bulkOrderStatuses } from '../../domain/vouchers/bulk-order.ts';
import { idAnswer, timeAnswer } from '../../http/fields/answer-fields.ts';
import { idField } from '../../http/fields/request-fields.ts';

/** The path of one bulk order. */
export const bulkOrderParams = z.object({
  bulkOrderId: idField.meta({ description: '`id` of the bulk order' }),
});

const count = (description: string, example: number) =>
  z.int().meta({ description, examples: [example] });

export const bulkOrderSchema = z
  .object({
    id: idAnswer('bulk order'),
    status: z.enum(bulkOrderStatuses).meta({
      description:
        'RUNNING until each line is generated or refused; CANCELLED where lines were left out',
      examples: ['COMPLETED'],
    }),
    lines: count('Lines of the order', 2),
    generated: count('Lines whose vouchers exist', 1),
    refused: count('Lines that were refused; the others are not affected', 1),
    cancelled: count('Lines that the cancellation left out', 0),
    createdAt: timeAnswer('When it was accepted'),
    endedAt: timeAnswer('When the last line was settled').nullable(),
  })
  .meta({ title: 'BulkOrder', description: 'The bulk order and its progress' });

/** `data` of each answer about one order. */
export const bulkOrderAnswer = z
  .object({ bulkOrder: bulkOrderSchema })
  .meta({ title: 'BulkOrderResult' });

export const presentBulkOrder = (order: BulkOrder): z.input<typeof bulkOrderSchema> => ({
  id: order.id,
  status: bulkOrderStatus({
    isEnded: order.ended_at !== null,
    isCancelRequested: order.cancel_requested_at !== null,
    cancelled: order.cancelled,
  }),
  lines: order.lines,
  generated: order.generated,
  refused: order.refused,
  cancelled: order.cancelled,
  createdAt: order.created_at.toISOString(),
  endedAt: order.ended_at?.toISOString() ?? null,
});
