import { operationsOf, readLedgerHistory } from '../../db/ledger/ledger-history.js';
import { findVoucherDetail } from '../../db/vouchers/voucher-detail.js';
import { html } from '../../process/html.js';
import { facts, story } from '../layout/facts.js';
import { money } from '../layout/money.js';
import { time } from '../layout/parts.js';
import { stateBadge, voucherStates } from '../layout/states.js';
import { ledgerHistory } from '../layout/transfer-labels.js';
import { type AccountPage, idOf, PORTAL_PATH } from '../page.js';
import { problems } from '../problem-page.js';
import { happeningsOf } from '../voucher-story.js';
import { ownerOf } from './vouchers.js';

/** One voucher with its history and its transfers, but never its code. */
export const showVoucher: AccountPage = {
  method: 'GET',
  path: '/vouchers/:id',
  access: 'account',
  kind: 'partner',
  async handle(request) {
    const { services, session } = request;
    const partnerId = session.company.id;
    const voucher = await findVoucherDetail(services.database, idOf(request), { partnerId });
    if (!voucher) return problems.notFound;
    const moves = await readLedgerHistory(services.database, partnerId, operationsOf(voucher));
    return {
      kind: 'page',
      title: `Voucher ${voucher.serialNumber}`,
      content: html`<p><a href="${PORTAL_PATH}/vouchers">All vouchers</a></p>
<h1>Voucher <code>${voucher.serialNumber}</code> ${stateBadge(voucherStates, voucher.status)}</h1>
<section class="card"><h2>The voucher</h2>
${facts({
  Amount: money(voucher.amount),
  Left: money(voucher.remaining),
  'On hold': money(voucher.held),
  'Returned to you': money(voucher.returned),
  Merchant: voucher.merchantName,
  'Can be redeemed': voucher.isRestricted ? 'At this merchant only' : 'At every merchant',
  Owner: ownerOf(voucher),
  'Selling price': `USD ${voucher.sellingPriceUsd.replace(/0{1,4}$/, '')}`,
  Generated: time(voucher.createdAt),
  'Valid until': time(voucher.expiresAt),
})}</section>
<section class="card"><h2>What happened</h2>${story(happeningsOf(voucher))}</section>
<section class="card"><h2>How the money moved</h2>${ledgerHistory(moves)}</section>`,
    };
  },
};
