import { findBulkOrder, requestBulkCancellation } from '../../../db/bulk/bulk-orders.ts';
import { html } from '../../../rendering/html.ts';
import { locale, sentence } from '../../language/language.ts';
import { confirmation } from '../../layout/parts.ts';
import { recordOperation } from '../../operate.ts';
import { type AccountPage, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { BULK_PATH } from './order-in-bulk.ts';

/** Says what a cancellation leaves out, and asks for confirmation. */
export const askCancelBulkOrder: AccountPage = {
  method: 'GET',
  path: '/bulk-orders/:id/cancel',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  async handle(request) {
    const { services, session, formToken } = request;
    const order = await findBulkOrder(services.database, session.company.id, idOf(request));
    if (!order) return problems.notFound;
    const left = order.lines - order.generated - order.refused - order.cancelled;
    return confirmation({
      title: sentence('Cancel bulk order {1}?', order.id),
      text: html`<p>${left.toLocaleString(locale())} lines are not generated yet: they are left out, and cost nothing.
The ${order.generated.toLocaleString(locale())} vouchers that exist stay, and can be cancelled one by one.</p>`,
      action: `${BULK_PATH}/${order.id}/cancel`,
      formToken,
      button: 'Cancel the order',
      back: `${BULK_PATH}/${order.id}`,
    });
  },
};

/** Cancels what a bulk order has not generated yet. */
export const cancelBulkOrder: AccountPage = {
  method: 'POST',
  path: '/bulk-orders/:id/cancel',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  async handle(request) {
    const { services, session } = request;
    const bulkOrderId = idOf(request);
    if (!(await findBulkOrder(services.database, session.company.id, bulkOrderId)))
      return problems.notFound;
    await recordOperation(request, 'cancel bulk-order', { bulkOrderId });
    await requestBulkCancellation(services.database, session.company.id, bulkOrderId);
    return {
      kind: 'redirect',
      to: `${BULK_PATH}/${bulkOrderId}`,
      notice: 'The order is being cancelled.',
    };
  },
};
