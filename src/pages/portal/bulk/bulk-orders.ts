import { bulkOrderList } from '../../../db/lists/vouchers.ts';
import {
  type BulkLineWithVoucher,
  type BulkOrder,
  bulkLinesAfter,
  findBulkOrder,
  requestBulkCancellation,
} from '../../../db/vouchers/bulk-orders.ts';
import { mayUse } from '../../../domain/access.ts';
import { plainAmount } from '../../../domain/money.ts';
import { messageOf, type Refusal } from '../../../domain/refusals.ts';
import {
  type BulkLineStatus,
  type BulkOrderStatus,
  bulkOrderStatus,
  formatVoucherCode,
} from '../../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { countText, sentence } from '../../language/language.ts';
import {
  badge,
  facts,
  postForm,
  questionPage,
  type ShownState,
  stateWord,
  table,
  textColumn,
  time,
} from '../../layout/parts.ts';
import { type AccountRequest, idOf, PORTAL_PATH, portal, redirect } from '../../page.ts';
import { csvFile, type FileColumns, listedTime, listFilters, listPages } from '../lists.ts';
import { recordOperation, refusalWords } from '../operate.ts';
import { BULK_PATH } from './order-in-bulk.ts';

const states: Readonly<Record<BulkOrderStatus, ShownState>> = {
  RUNNING: ['warning', 'Running'],
  CANCELLING: ['warning', 'Being cancelled'],
  COMPLETED: ['success', 'Done'],
  CANCELLED: ['plain', 'Cancelled'],
};

/** The state of an order. */
const stateOf = (order: Parameters<typeof bulkOrderStatus>[0]) => states[bulkOrderStatus(order)];

/** A partner's bulk orders, newest first. */
export const bulkOrderPages = listPages({
  path: '/bulk-orders',
  kind: 'partner',
  title: 'Bulk orders',
  intro: html`<p>Orders of many vouchers, newest first, from the portal and from the API.
<a href="${PORTAL_PATH}/order-in-bulk">Order vouchers in bulk</a></p>`,
  list: bulkOrderList,
  filters: {
    from: listFilters.fromDay('Ordered from', 'createdAt'),
    to: listFilters.toDay('Ordered to'),
  },
  fields: [
    {
      title: 'Order',
      phone: 'head',
      value: ({ id }) => html`<a href="${BULK_PATH}/${id}">${id}</a>`,
      file: 'id',
    },
    listedTime('created_at', 'Ordered'),
    {
      title: 'State',
      phone: 'figure',
      value: (order) => badge(...stateOf(order)),
      file: (order) => stateWord(stateOf(order)),
    },
    {
      title: 'Lines',
      value: 'lines',
      align: 'right',
      file: 'lines',
    },
    {
      title: 'Vouchers',
      value: 'generated',
      align: 'right',
      fileTitle: 'Generated',
      file: 'generated',
    },
    {
      title: 'Refused',
      value: 'refused',
      align: 'right',
      file: 'refused',
    },
    { title: 'Cancelled', file: 'cancelled' },
  ],
  nothingYet: 'Orders appear here as soon as somebody uploads one, or your server sends one.',
});

const SHOWN_REFUSALS = 50;
const REFRESH_SECONDS = 5;

/** One bulk order: how far it is, and what was refused. */
export const showBulkOrder = portal.page({
  path: '/bulk-orders/:id',
  refreshes: true,
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const { services, session } = request;
    const order = await orderOf(request);
    if (!order) return problems.notFound;
    const refused = await bulkLinesAfter(services.database, order.id, {
      after: 0,
      limit: SHOWN_REFUSALS,
      status: 'REFUSED',
    });
    const runs = order.ended_at === null;
    const done = order.generated + order.refused + order.cancelled;
    return {
      kind: 'page',
      title: sentence('Bulk order {1}', order.id),
      ...(runs && { refreshSeconds: REFRESH_SECONDS }),
      content: html`<p><a href="${BULK_PATH}">All bulk orders</a></p>
<h1>Bulk order ${order.id} ${badge(...stateOf(order))}</h1>
<section class="card"><h2>Progress</h2>
<progress max="${order.lines}" value="${done}" aria-label="Lines done">${done} of ${order.lines}</progress>
${facts({
  Lines: countText(order.lines),
  Vouchers: countText(order.generated),
  Refused: countText(order.refused),
  'Left out': countText(order.cancelled),
  Ordered: time(order.created_at),
  Ended: order.ended_at === null ? phrase('It still runs') : time(order.ended_at),
})}
${runs && html`<p class="quiet">This page is loaded again every ${REFRESH_SECONDS} seconds.</p>`}
${mayUse(session.role, 'operate') && actions(request, order)}</section>
${refused.length > 0 && refusals(order, refused)}`,
    };
  },
});

const actions = (request: AccountRequest, order: BulkOrder): Html => html`<div class="actions">
${postForm(
  request,
  `${BULK_PATH}/${order.id}/result`,
  html`<button class="secondary">${phrase(
    hasCodes(order) ? 'Download the result with codes' : 'Download the result',
  )}</button>`,
  'inline',
)}
${
  order.ended_at === null &&
  order.cancel_requested_at === null &&
  html`<a class="button secondary" href="${BULK_PATH}/${order.id}/cancel">Cancel the order</a>`
}</div>`;

const refusals = (order: BulkOrder, lines: readonly BulkLineWithVoucher[]): Html =>
  html`<section class="card"><h2>Refused lines</h2>
<p>They cost nothing. Correct them, and order them again with the same references.</p>
${table('Refused lines', lines, [
  textColumn('Line', 'line'),
  textColumn('Reference', ({ reference }) => html`<code>${reference}</code>`),
  textColumn(
    'Why',
    ({ refusal }) =>
      refusal && (hasLostRight(refusal) ? phrase(RIGHT_LOST) : refusalWords(refusal)),
  ),
])}
${
  order.refused > lines.length &&
  html`<p class="quiet">And ${countText(order.refused - lines.length)} more, in the result.</p>`
}</section>`;

/** Says what a cancellation leaves out, and cancels what a bulk order has not generated yet. */
export const cancelBulkOrderPages = portal.asked({
  path: '/bulk-orders/:id/cancel',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  async ask(request) {
    const order = await orderOf(request);
    if (!order) return problems.notFound;
    const path = `${BULK_PATH}/${order.id}`;
    if (!isRunning(order)) return redirect(path, cancellationNotice(order));
    const left = order.lines - order.generated - order.refused - order.cancelled;
    return questionPage(request, {
      title: sentence('Cancel bulk order {1}?', order.id),
      text: html`<p>${countText(left)} lines are not generated yet: they are left out, and cost nothing.
The ${countText(order.generated)} vouchers that exist stay, and can be cancelled one by one.</p>`,
      button: 'Cancel the order',
      isDanger: true,
      back: path,
    });
  },
  async handle(request) {
    const { services, session } = request;
    const order = await orderOf(request);
    if (!order) return problems.notFound;
    if (isRunning(order))
      await recordOperation(request, 'cancel bulk-order', { bulkOrderId: order.id });
    // It may end between the look and the request.
    const after = await requestBulkCancellation(services.database, session.company.id, order.id);
    return redirect(`${BULK_PATH}/${order.id}`, cancellationNotice(after ?? order));
  },
});

/** Whether a cancellation changes the order. */
const isRunning = (order: BulkOrder): boolean => stateOf(order) === states.RUNNING;

const cancellationNotice = ({ ended_at }: BulkOrder): string =>
  ended_at === null
    ? 'The order is being cancelled.'
    : 'The order has ended: nothing is left to cancel.';

const LINES_AT_ONCE = 1_000;

const words: Readonly<Record<BulkLineStatus, string>> = {
  PENDING: 'Not generated yet',
  GENERATED: 'Generated',
  REFUSED: 'Refused',
  CANCELLED: 'Left out',
};

const orderOf = (request: AccountRequest) =>
  findBulkOrder(request.services.database, request.session.company.id, idOf(request));

/** Only files of the portal's own orders have codes: the API answers those of its orders. */
const hasCodes = (order: BulkOrder): boolean =>
  order.portal_account_id !== null && order.generated > 0;

/** The role or the key that an order began with has ended. The API explains that in terms of tokens. */
const hasLostRight = ({ reason }: Refusal): boolean => reason === 'token-invalid';
const RIGHT_LOST = 'The person or the API key that ordered it may not order vouchers any more';

/**
 * The lines of an order as a file. Codes are money, so the file needs `operate`, and each download of codes is in the
 * audit log.
 */
export const downloadBulkResultForm = portal.form({
  path: '/bulk-orders/:id/result',
  needs: 'operate',
  confirmation: async (request) => {
    const order = await orderOf(request);
    if (!order) return undefined;
    return hasCodes(order)
      ? html`You are about to download the voucher codes of bulk order ${order.id}.`
      : html`You are about to download the result of bulk order ${order.id}.`;
  },
  kind: 'partner',
  async handle(request) {
    const { services } = request;
    const order = await orderOf(request);
    if (!order) return problems.notFound;
    if (hasCodes(order))
      await recordOperation(request, 'download voucher-codes', { bulkOrderId: order.id });
    const lines: BulkLineWithVoucher[] = [];
    for (let after = 0; ; ) {
      const page = { after, limit: LINES_AT_ONCE, status: undefined };
      const next = await bulkLinesAfter(services.database, order.id, page);
      lines.push(...next);
      after = next.at(-1)?.line ?? 0;
      if (next.length < LINES_AT_ONCE) break;
    }
    return csvFile(`bulk-order-${order.id}`, lines, resultColumns(request, order));
  },
});

const resultColumns = (
  { services }: AccountRequest,
  order: BulkOrder,
): FileColumns<BulkLineWithVoucher> => ({
  Line: 'line',
  Reference: 'reference',
  State: ({ status }) => words[status],
  ...(hasCodes(order) && {
    'Voucher code': ({ code_ciphertext: sealed, generation_id }: BulkLineWithVoucher) =>
      sealed && formatVoucherCode(services.secretBox.open(sealed, `voucher ${generation_id}`)),
  }),
  'Serial number': 'serial_number',
  'Amount (ETB)': ({ amount }) => amount && plainAmount(amount),
  'Why it was refused': ({ refusal }) =>
    refusal && (hasLostRight(refusal) ? RIGHT_LOST : messageOf(refusal.reason, refusal.detail)),
});
