import { type ListedVoucher, voucherSource } from '../../db/vouchers/voucher-list.js';
import { maskMsisdn } from '../../domain/phone.js';
import { html } from '../../process/html.js';
import { listFilters } from '../layout/list-parameters.js';
import { listPage } from '../layout/list-view.js';
import { amount } from '../layout/money.js';
import { time } from '../layout/parts.js';
import { stateBadge, stateOptions, voucherStates } from '../layout/states.js';
import { PORTAL_PATH } from '../page.js';

/** A voucher's owner; numbers are masked. */
export const ownerOf = ({ ownerMsisdn }: Pick<ListedVoucher, 'ownerMsisdn'>): string =>
  ownerMsisdn === null ? 'Anonymous' : maskMsisdn(ownerMsisdn);

/** A partner's vouchers, newest first. */
export const showVouchers = listPage({
  path: '/vouchers',
  kind: 'partner',
  title: 'Vouchers',
  intro: html`<p>All vouchers that you have generated, newest first. The portal never shows codes: the API
returned each code when you generated its voucher.</p>`,
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
      value: ({ id, serialNumber }) =>
        html`<a href="${PORTAL_PATH}/vouchers/${id}"><code>${serialNumber}</code></a>`,
    },
    { title: 'Generated', value: ({ createdAt }) => time(createdAt) },
    { title: 'Merchant', value: ({ merchantName }) => merchantName },
    { title: 'Owner', value: ownerOf },
    { title: 'State', value: ({ status }) => stateBadge(voucherStates, status) },
    { title: 'Amount, ETB', value: ({ amount: whole }) => amount(whole), align: 'right' },
    { title: 'Left, ETB', value: ({ remaining }) => amount(remaining), align: 'right' },
  ],
  nothingYet: 'Vouchers appear here as soon as your server generates them.',
});
