import { requestBulkCancellation } from '../../db/bulk/bulk-orders.ts';
import { refuse } from '../../domain/refusals.ts';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { bulkOrderAnswer, bulkOrderParams, presentBulkOrder } from './bulk-order-view.ts';

/** Cancels what a bulk order has not generated yet (beyond the specification). */
export const cancelBulkOrder = endpoint({
  method: 'POST',
  path: '/bulk-orders/:bulkOrderId/cancel',
  operation: 'cancel-bulk-order',
  summary: 'Cancel a bulk order',
  description:
    'No further voucher of the order is generated; vouchers that exist stay, and can be cancelled one by ' +
    'one. An ended order stays as it is.',
  access: 'token',
  scope: 'vouchers',
  params: bulkOrderParams,
  answer: bulkOrderAnswer,
  reasons: ['bulk-order-not-found'],
  async handle({ services, company, params }) {
    const order = await requestBulkCancellation(services.database, company.id, params.bulkOrderId);
    if (!order) return refuse('bulk-order-not-found');
    return reply({ bulkOrder: presentBulkOrder(order) }, { message: 'Cancellation requested' });
  },
});
