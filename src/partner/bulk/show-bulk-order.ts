import { findBulkOrder } from '../../db/bulk/bulk-orders.ts';
import { refuse } from '../../domain/refusals.ts';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { bulkOrderAnswer, bulkOrderParams, presentBulkOrder } from './bulk-order-view.ts';

/** Shows how far a bulk order is (beyond the specification). */
export const showBulkOrder = endpoint({
  method: 'GET',
  path: '/bulk-orders/:bulkOrderId',
  operation: 'show-bulk-order',
  summary: 'Show a bulk order',
  description: 'Progress of a bulk order: how many lines are generated, refused and cancelled.',
  access: 'token',
  scope: 'read',
  params: bulkOrderParams,
  answer: bulkOrderAnswer,
  reasons: ['bulk-order-not-found'],
  async handle({ services, company, params }) {
    const order = await findBulkOrder(services.database, company.id, params.bulkOrderId);
    if (!order) return refuse('bulk-order-not-found');
    return reply({ bulkOrder: presentBulkOrder(order) }, { message: 'Bulk order found' });
  },
});
