import { BULK_LINES } from '../../domain/vouchers/bulk-order.ts';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { orderVouchersOnce } from '../../operations/order-vouchers.ts';
import { lineSchema, orderedLine, orderSchema } from './bulk-line-fields.ts';
import { bulkOrderAnswer, presentBulkOrder } from './bulk-order-view.ts';

/** For the most lines, each with all its fields. */
const BODY_LIMIT_BYTES = 6 * 1024 * 1024;

/** Orders many vouchers at once (beyond the specification). */
export const orderVouchers = endpoint({
  method: 'POST',
  path: '/vouchers/bulk',
  operation: 'order-vouchers',
  summary: 'Order vouchers in bulk',
  description:
    `Accepts up to ${BULK_LINES} vouchers, which are generated one after the other; each line pays when ` +
    'its turn comes. A line that is refused, for example because the gift balance is spent, affects no ' +
    'other line. Ask for the progress with the order’s id. A wrong field refuses the whole order, and ' +
    'nothing is recorded.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  body: orderSchema,
  longArray: {
    field: 'lines',
    item: lineSchema,
    itemName: 'line',
    maximumItems: BULK_LINES,
    uniqueField: 'reference',
  },
  answer: bulkOrderAnswer,
  reasons: ['account-suspended', 'database-failed', 'key-reused', 'still-processing'],
  async handle({ services, company, body, key }) {
    const lines = body.lines.map(orderedLine);
    const { result, replayed } = await orderVouchersOnce(services, { company, key, lines });
    if ('ok' in result) return { ...result, replayed };
    return reply({ bulkOrder: presentBulkOrder(result) }, { message: 'Order accepted', replayed });
  },
});
