import { bulkOrderSource, type ListedBulkOrder } from '../../../db/bulk/bulk-orders.ts';
import { type BulkOrderStatus, bulkOrderStatus } from '../../../domain/vouchers/bulk-order.ts';
import { html } from '../../../rendering/html.ts';
import { listFilters } from '../../layout/list-parameters.ts';
import { type ListView, listDownload, listPage } from '../../layout/list-view.ts';
import { badge, time } from '../../layout/parts.ts';
import { PORTAL_PATH } from '../../page.ts';
import { fileTime } from '../../time-zone.ts';
import { BULK_PATH } from './order-in-bulk.ts';

type Shown = Pick<ListedBulkOrder, 'ended_at' | 'cancel_requested_at' | 'cancelled'>;

const states = {
  RUNNING: { tone: 'warning', word: 'Running' },
  CANCELLING: { tone: 'warning', word: 'Being cancelled' },
  COMPLETED: { tone: 'success', word: 'Done' },
  CANCELLED: { tone: 'plain', word: 'Cancelled' },
} as const satisfies Record<BulkOrderStatus, unknown>;

/** The state of an order. */
export const stateOf = (order: Shown) =>
  states[
    bulkOrderStatus({
      isEnded: order.ended_at !== null,
      isCancelRequested: order.cancel_requested_at !== null,
      cancelled: order.cancelled,
    })
  ];

const view = {
  path: '/bulk-orders',
  kind: 'partner',
  title: 'Bulk orders',
  intro: html`<p>Orders of many vouchers, newest first, from the portal and from the API.
<a href="${PORTAL_PATH}/order-in-bulk">Order vouchers in bulk</a></p>`,
  source: bulkOrderSource,
  filters: {
    from: listFilters.fromDay('Ordered from', 'createdAt'),
    to: listFilters.toDay('Ordered to', 'createdAt'),
  },
  columns: [
    {
      title: 'Order',
      phone: 'head',
      value: ({ id }) => html`<a href="${BULK_PATH}/${id}">${id}</a>`,
    },
    { title: 'Ordered', phone: 'plain', value: ({ created_at }) => time(created_at) },
    {
      title: 'State',
      phone: 'figure',
      value: (order) => badge(stateOf(order).tone, stateOf(order).word),
    },
    { title: 'Lines', value: ({ lines }) => lines, align: 'right' },
    { title: 'Vouchers', value: ({ generated }) => generated, align: 'right' },
    { title: 'Refused', value: ({ refused }) => refused, align: 'right' },
  ],
  nothingYet: 'Orders appear here as soon as somebody uploads one, or your server sends one.',
  download: {
    Order: ({ id }) => String(id),
    Ordered: ({ created_at }) => fileTime(created_at),
    State: (order) => stateOf(order).word,
    Lines: ({ lines }) => String(lines),
    Generated: ({ generated }) => String(generated),
    Refused: ({ refused }) => String(refused),
    Cancelled: ({ cancelled }) => String(cancelled),
  },
} satisfies ListView<ListedBulkOrder>;

/** A partner's bulk orders, newest first. */
export const showBulkOrders = listPage<ListedBulkOrder>(view);

/** The bulk orders as a file. */
export const downloadBulkOrders = listDownload<ListedBulkOrder>(view);
