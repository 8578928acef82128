import { type NamedTopup, namedTopupSource } from '../../../db/topups/topup-detail.ts';
import { maskStored } from '../../../domain/phone.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { listFilters } from '../../layout/list-parameters.ts';
import { type ListView, listDownload, listPage } from '../../layout/list-view.ts';
import { amount, plainAmount } from '../../layout/money.ts';
import { badge, time } from '../../layout/parts.ts';
import { stateOptions, topupStates, topupTurns } from '../../layout/states.ts';
import { PORTAL_PATH } from '../../page.ts';
import { fileTime } from '../../time-zone.ts';

/** What was sent. */
export const productOf = ({ kind, productName }: NamedTopup): Html | string =>
  kind === 'AIRTIME' ? phrase('Airtime') : (productName ?? phrase('Package'));

/** The state of a top-up, including a late delivery or a reversal. */
const stateOf = ({ status, late_delivery, reversal }: NamedTopup) => {
  if (reversal && !reversal.is_credited) return topupTurns.REVERSED;
  return late_delivery ? topupTurns.LATE : topupStates[status];
};

/** The badge of that state. */
export function topupBadge(topup: NamedTopup): Html {
  const { tone, word } = stateOf(topup);
  return badge(tone, word);
}

/** The states of top-ups whose money is on hold. */
export const TOPUPS_UNDERWAY = 'PROCESSING,UNKNOWN';

const view = {
  path: '/top-ups',
  kind: 'partner',
  title: 'Top-ups',
  intro: html`<p>Airtime and packages that you have sent, newest first. A failed top-up was not charged,
and it can be retried.</p>`,
  source: namedTopupSource,
  filters: {
    reference: listFilters.exact('Reference', 'reference'),
    state: listFilters.oneOf('State', 'status', [
      ...stateOptions(topupStates),
      [TOPUPS_UNDERWAY, 'In progress or unknown'],
    ]),
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
      phone: 'head',
      value: ({ id }) => html`<a href="${PORTAL_PATH}/top-ups/${id}">${id}</a>`,
    },
    { title: 'Sent', phone: 'plain', value: ({ created_at }) => time(created_at) },
    { title: 'What', phone: 'plain', value: productOf },
    { title: 'Number', phone: 'plain', value: ({ msisdn }) => maskStored(msisdn) },
    { title: 'State', phone: 'plain', value: topupBadge },
    {
      title: 'Amount, ETB',
      phone: 'figure etb',
      value: ({ amount: charged }) => (charged === null ? '–' : amount(charged)),
      align: 'right',
    },
  ],
  nothingYet: 'Top-ups appear here as soon as your server sends them.',
  download: {
    Transaction: ({ id }) => String(id),
    Sent: ({ created_at }) => fileTime(created_at),
    What: ({ kind, productName }) => (kind === 'AIRTIME' ? 'Airtime' : (productName ?? 'Package')),
    Number: ({ msisdn }) => maskStored(msisdn),
    State: (topup) => stateOf(topup).word,
    'Amount (ETB)': ({ amount: charged }) => charged && plainAmount(charged),
    'Provider’s reference': ({ provider_reference }) => provider_reference,
    Message: ({ message }) => message,
  },
} satisfies ListView<NamedTopup>;

/** A partner's top-ups, newest first. */
export const showTopUps = listPage<NamedTopup>(view);

/** The top-ups as a file. */
export const downloadTopUps = listDownload<NamedTopup>(view);
