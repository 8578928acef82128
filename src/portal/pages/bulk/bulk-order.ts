import { type BulkLineWithVoucher, bulkLinesAfter } from '../../../db/bulk/bulk-lines.ts';
import { type BulkOrder, findBulkOrder } from '../../../db/bulk/bulk-orders.ts';
import { mayUse } from '../../../domain/access/portal-role.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { locale, sentence } from '../../language/language.ts';
import { facts } from '../../layout/facts.ts';
import { badge, postForm, table, time } from '../../layout/parts.ts';
import { refusalWords } from '../../operate.ts';
import { type AccountPage, type AccountRequest, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { stateOf } from './bulk-orders.ts';
import { BULK_PATH } from './order-in-bulk.ts';

const SHOWN_REFUSALS = 50;
const REFRESH_SECONDS = 5;

/** One bulk order: how far it is, and what was refused. */
export const showBulkOrder: AccountPage = {
  method: 'GET',
  path: '/bulk-orders/:id',
  access: 'account',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const { services, session } = request;
    const order = await findBulkOrder(services.database, session.company.id, idOf(request));
    if (!order) return problems.notFound;
    const refused = await bulkLinesAfter(services.database, order.id, {
      after: 0,
      limit: SHOWN_REFUSALS,
      status: 'REFUSED',
    });
    const runs = order.ended_at === null;
    const state = stateOf(order);
    const done = order.generated + order.refused + order.cancelled;
    return {
      kind: 'page',
      title: sentence('Bulk order {1}', order.id),
      ...(runs ? { refreshSeconds: REFRESH_SECONDS } : {}),
      content: html`<p><a href="${BULK_PATH}">All bulk orders</a></p>
<h1>Bulk order ${order.id} ${badge(state.tone, state.word)}</h1>
<section class="card"><h2>Progress</h2>
<progress max="${order.lines}" value="${done}" aria-label="Lines done">${done} of ${order.lines}</progress>
${facts({
  Lines: order.lines.toLocaleString(locale()),
  Vouchers: order.generated.toLocaleString(locale()),
  Refused: order.refused.toLocaleString(locale()),
  'Left out': order.cancelled.toLocaleString(locale()),
  Ordered: time(order.created_at),
  Ended: order.ended_at === null ? phrase('It still runs') : time(order.ended_at),
})}
${runs && html`<p class="quiet">This page is loaded again every ${REFRESH_SECONDS} seconds.</p>`}
${mayUse(session.role, 'operate') && actions(request, order)}</section>
${refused.length > 0 && refusals(order, refused)}`,
    };
  },
};

const actions = (
  { formToken }: AccountRequest,
  order: BulkOrder,
): Html => html`<div class="actions">
${
  order.generated > 0 &&
  postForm(
    { action: `${BULK_PATH}/${order.id}/result`, formToken, className: 'inline' },
    html`<button class="secondary">${phrase(
      order.portal_account_id === null ? 'Download the result' : 'Download the result with codes',
    )}</button>`,
  )
}
${
  order.ended_at === null &&
  order.cancel_requested_at === null &&
  html`<a class="button secondary" href="${BULK_PATH}/${order.id}/cancel">Cancel the order</a>`
}</div>`;

const refusals = (order: BulkOrder, lines: readonly BulkLineWithVoucher[]): Html =>
  html`<section class="card"><h2>Refused lines</h2>
<p>They cost nothing. Correct them, and order them again with the same references.</p>
${table('Refused lines', lines, [
  { title: 'Line', value: ({ line }) => line },
  { title: 'Reference', value: ({ reference }) => html`<code>${reference}</code>` },
  {
    title: 'Why',
    value: ({ refusal }) => refusal && refusalWords(refusal),
  },
])}
${
  order.refused > lines.length &&
  html`<p class="quiet">And ${(order.refused - lines.length).toLocaleString(locale())} more, in the result.</p>`
}</section>`;
