import { type ListedVoucher, voucherSource } from '../../../db/vouchers/lists/voucher-list.ts';
import { maskStored } from '../../../domain/phone.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { listFilters } from '../../layout/list-parameters.ts';
import { type ListView, listDownload, listPage } from '../../layout/list-view.ts';
import { amount, plainAmount } from '../../layout/money.ts';
import { time } from '../../layout/parts.ts';
import { stateBadge, stateOptions, voucherStates } from '../../layout/states.ts';
import { PORTAL_PATH } from '../../page.ts';
import { fileTime } from '../../time-zone.ts';

/** A voucher's owner; numbers are masked. */
export const ownerOf = ({ ownerMsisdn }: Pick<ListedVoucher, 'ownerMsisdn'>): Html | string =>
  ownerMsisdn === null ? phrase('Anonymous') : maskStored(ownerMsisdn);

const view = {
  path: '/vouchers',
  kind: 'partner',
  title: 'Vouchers',
  intro: html`<p>All vouchers that you have generated, newest first. Codes are not shown here: the API
returned each code when you generated its voucher, and the result of a bulk order has its codes.</p>`,
  source: voucherSource,
  filters: {
    serial: listFilters.exact('Serial number', 'serialNumber'),
    state: listFilters.oneOf('State', 'status', stateOptions(voucherStates)),
    from: listFilters.fromDay('Generated from', 'createdAt'),
    to: listFilters.toDay('Generated to', 'createdAt'),
  },
  columns: [
    {
      title: 'Serial number',
      phone: 'head',
      value: ({ id, serialNumber }) =>
        html`<a href="${PORTAL_PATH}/vouchers/${id}"><code>${serialNumber}</code></a>`,
    },
    { title: 'Generated', phone: 'plain', value: ({ createdAt }) => time(createdAt) },
    { title: 'Merchant', phone: 'plain', value: ({ merchantName }) => merchantName },
    { title: 'Owner', phone: 'hidden', value: ownerOf },
    { title: 'State', phone: 'plain', value: ({ status }) => stateBadge(voucherStates, status) },
    {
      title: 'Amount, ETB',
      phone: 'figure etb',
      value: ({ amount: whole }) => amount(whole),
      align: 'right',
    },
    { title: 'Left, ETB', value: ({ remaining }) => amount(remaining), align: 'right' },
  ],
  nothingYet: 'Vouchers appear here as soon as your server generates them.',
  download: {
    'Serial number': ({ serialNumber }) => serialNumber,
    Generated: ({ createdAt }) => fileTime(createdAt),
    'Valid until': ({ expiresAt }) => fileTime(expiresAt),
    Merchant: ({ merchantName }) => merchantName,
    Owner: ({ ownerMsisdn }) => (ownerMsisdn === null ? 'Anonymous' : maskStored(ownerMsisdn)),
    State: ({ status }) => voucherStates[status].word,
    'Amount (ETB)': ({ amount: whole }) => plainAmount(whole),
    'Left (ETB)': ({ remaining }) => plainAmount(remaining),
  },
} satisfies ListView<ListedVoucher>;

/** A partner's vouchers, newest first. */
export const showVouchers = listPage<ListedVoucher>(view);

/** The vouchers as a file, without codes. */
export const downloadVouchers = listDownload<ListedVoucher>(view);
