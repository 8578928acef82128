import { type NamedTopup, namedTopupSource } from '../../db/topups/topup-detail.js';
import { maskMsisdn } from '../../domain/phone.js';
import { type Html, html } from '../../process/html.js';
import { listFilters } from '../layout/list-parameters.js';
import { listPage } from '../layout/list-view.js';
import { amount } from '../layout/money.js';
import { time } from '../layout/parts.js';
import { stateBadge, stateOptions, topupStates, topupTurns } from '../layout/states.js';
import { PORTAL_PATH } from '../page.js';

/** What was sent. */
export const productOf = ({ kind, productName }: NamedTopup): string =>
  kind === 'AIRTIME' ? 'Airtime' : (productName ?? 'Package');

/** The state of a top-up, including a late success or a reversal. */
export function topupBadge({ status, late_delivery, reversal }: NamedTopup): Html {
  if (reversal && !reversal.is_credited) return stateBadge(topupTurns, 'REVERSED');
  return late_delivery ? stateBadge(topupTurns, 'LATE') : stateBadge(topupStates, status);
}

/** A partner's top-ups, newest first. */
export const showTopUps = listPage({
  path: '/top-ups',
  kind: 'partner',
  title: 'Top-ups',
  intro: html`<p>Airtime and packages that you have sent, newest first. A failed top-up was not charged;
your server can retry it.</p>`,
  source: namedTopupSource,
  filters: {
    reference: listFilters.exact('Reference', 'reference'),
    state: listFilters.oneOf('State', 'status', stateOptions(topupStates)),
    kind: listFilters.oneOf('Kind', 'kind', [
      ['AIRTIME', 'Airtime'],
      ['PACKAGE', 'Package'],
    ]),
    from: listFilters.fromDay('Sent from', 'createdAt'),
    to: listFilters.toDay('Sent to', 'createdAt'),
  },
  columns: [
    {
      title: 'Transaction',
      value: ({ id }) => html`<a href="${PORTAL_PATH}/top-ups/${id}">${id}</a>`,
    },
    { title: 'Sent', value: ({ created_at }) => time(created_at) },
    { title: 'What', value: productOf },
    { title: 'Number', value: ({ msisdn }) => maskMsisdn(msisdn) },
    { title: 'State', value: topupBadge },
    {
      title: 'Amount, ETB',
      value: ({ amount: charged }) => (charged === null ? '–' : amount(charged)),
      align: 'right',
    },
  ],
  nothingYet: 'Top-ups appear here as soon as your server sends them.',
});
