import { type ListedVoucher, voucherSource } from '../../../db/vouchers/lists/voucher-list.js';
import { maskStored } from '../../../domain/phone.js';
import { type Html, html, phrase } from '../../../rendering/html.js';
import { listFilters } from '../../layout/list-parameters.js';
import { type ListView, listDownload, listPage } from '../../layout/list-view.js';
import { amount, plainAmount } from '../../layout/money.js';
import { time } from '../../layout/parts.js';
import { stateBadge, stateOptions, voucherStates } from '../../layout/states.js';
import { PORTAL_PATH } from '../../page.js';
import { fileTime } from '../../time-zone.js';

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
