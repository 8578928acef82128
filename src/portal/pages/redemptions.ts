import {
  type ListedRedemption,
  redemptionSource,
} from '../../db/vouchers/lists/redemption-list.ts';
import { html } from '../../rendering/html.ts';
import { daySchema, daysAfter } from '../layout/days.ts';
import { listFilters } from '../layout/list-parameters.ts';
import { type ListView, listDownload, listPage } from '../layout/list-view.ts';
import { amount, plainAmount } from '../layout/money.ts';
import { time } from '../layout/parts.ts';
import { redemptionStates, reversalStates, stateBadge, stateOptions } from '../layout/states.ts';
import { beginningOf, fileTime } from '../time-zone.ts';

const view = {
  path: '/redemptions',
  kind: 'merchant',
  title: 'Redemptions',
  intro: html`<p>Vouchers that were redeemed with you, newest first: the redeemed amount, the
service fee, and the amount paid to you through mobile money.</p>`,
  source: redemptionSource,
  filters: {
    reference: listFilters.exact('Reference', 'reference'),
    serial: listFilters.exact('Serial number', 'serialNumber'),
    state: listFilters.oneOf('State', 'state', stateOptions(redemptionStates)),
    from: listFilters.fromDay('Redeemed from', 'createdAt'),
    to: listFilters.toDay('Redeemed to', 'createdAt'),
    paid: {
      ...listFilters.fromDay('Paid on', 'paidAt'),
      operator: 'btw',
      schema: daySchema.transform((day) => {
        const end = beginningOf(daysAfter(day, 1)).getTime() - 1;
        return `${beginningOf(day).toISOString()},${new Date(end).toISOString()}`;
      }),
    },
  },
  columns: [
    { title: 'Redeemed', phone: 'plain', value: ({ createdAt }) => time(createdAt) },
    {
      title: 'Voucher',
      phone: 'head',
      value: ({ serialNumber }) => html`<code>${serialNumber}</code>`,
    },
    {
      title: 'State',
      phone: 'plain',
      value: ({ state, reversal }) =>
        html`${stateBadge(redemptionStates, state)}${
          reversal !== null &&
          reversal.status !== 'SUCCESS' &&
          html`<br>${stateBadge(reversalStates, reversal.status)}`
        }`,
    },
    {
      title: 'References',
      phone: 'plain',
      value: ({ reference, providerReference }) =>
        html`<span class="whole"><span class="quiet">Ours</span> <code>${reference}</code></span>${
          providerReference &&
          html`<br><span class="whole"><span class="quiet">Provider’s</span>
<code>${providerReference}</code></span>`
        }`,
    },
    { title: 'Taken, ETB', value: ({ amount: taken }) => amount(taken), align: 'right' },
    { title: 'Fee, ETB', value: ({ serviceFee }) => amount(serviceFee), align: 'right' },
    {
      title: 'Paid to you, ETB',
      phone: 'figure etb',
      value: ({ toMerchant }) => amount(toMerchant),
      align: 'right',
    },
  ],
  nothingYet: 'Redemptions appear here as soon as a voucher is redeemed with you.',
  download: {
    Redeemed: ({ createdAt }) => fileTime(createdAt),
    Paid: ({ paidAt }) => paidAt && fileTime(paidAt),
    State: ({ state }) => redemptionStates[state].word,
    'Voucher serial number': ({ serialNumber }) => serialNumber,
    'Taken (ETB)': ({ amount: taken }) => plainAmount(taken),
    'Service fee (ETB)': ({ serviceFee }) => plainAmount(serviceFee),
    'To the merchant (ETB)': ({ toMerchant }) => plainAmount(toMerchant),
    'Our reference': ({ reference }) => reference,
    'Provider’s reference': ({ providerReference }) => providerReference,
    Reversed: ({ reversal }) =>
      reversal?.status === 'SUCCESS' && reversal.settledAt !== null
        ? fileTime(new Date(reversal.settledAt))
        : null,
  },
} satisfies ListView<ListedRedemption>;

/** A merchant's redemptions, newest first. */
export const showRedemptions = listPage<ListedRedemption>(view);

/** The redemptions as a file. */
export const downloadRedemptions = listDownload<ListedRedemption>(view);
