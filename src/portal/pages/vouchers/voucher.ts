import { operationsOf, readLedgerHistory } from '../../../db/ledger/ledger-history.ts';
import { findVoucherDetail, type VoucherDetail } from '../../../db/vouchers/voucher-detail.ts';
import { mayUse } from '../../../domain/access/portal-role.ts';
import { isCancellable } from '../../../domain/vouchers/cancellation.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { sentence } from '../../language/language.ts';
import { facts, story } from '../../layout/facts.ts';
import { money } from '../../layout/money.ts';
import { time } from '../../layout/parts.ts';
import { stateBadge, voucherStates } from '../../layout/states.ts';
import { ledgerHistory } from '../../layout/transfer-labels.ts';
import { type AccountPage, type AccountRequest, idOf, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { happeningsOf } from '../../voucher-story.ts';
import { ownerOf } from './vouchers.ts';

/** One voucher with its history and its transfers, but never its code. */
export const showVoucher: AccountPage = {
  method: 'GET',
  path: '/vouchers/:id',
  access: 'account',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const { services, session } = request;
    const partnerId = session.company.id;
    const voucher = await findVoucherDetail(services.database, idOf(request), { partnerId });
    if (!voucher) return problems.notFound;
    const moves = await readLedgerHistory(services.database, partnerId, operationsOf(voucher));
    return {
      kind: 'page',
      title: sentence('Voucher {1}', voucher.serialNumber),
      content: html`<p><a href="${PORTAL_PATH}/vouchers">All vouchers</a></p>
<h1>Voucher <code>${voucher.serialNumber}</code> ${stateBadge(voucherStates, voucher.status)}</h1>
<section class="card"><h2>The voucher</h2>
${facts({
  Amount: money(voucher.amount),
  Left: money(voucher.remaining),
  'On hold': money(voucher.held),
  'Returned to you': money(voucher.returned),
  Merchant: voucher.merchantName,
  'Can be redeemed': phrase(voucher.isRestricted ? 'At this merchant only' : 'At every merchant'),
  Owner: ownerOf(voucher),
  'Selling price': `USD ${voucher.sellingPriceUsd.replace(/0{1,4}$/, '')}`,
  Generated: time(voucher.createdAt),
  'Valid until': time(voucher.expiresAt),
})}
${actions(request, voucher)}</section>
<section class="card"><h2>What happened</h2>${story(happeningsOf(voucher))}</section>
<section class="card"><h2>How the money moved</h2>${ledgerHistory(moves)}</section>`,
    };
  },
};

/** What the person may do with the voucher as it is. */
function actions({ session }: AccountRequest, voucher: VoucherDetail): Html | undefined {
  if (!mayUse(session.role, 'operate')) return undefined;
  const path = `${PORTAL_PATH}/vouchers/${voucher.id}`;
  const hasMessage = voucher.status === 'REDEEM_INITIATED' || voucher.redemptions.length > 0;
  const links = [
    hasMessage &&
      voucher.ownerMsisdn !== null &&
      html`<a class="button secondary" href="${path}/resend">Send the message again</a>`,
    isCancellable(voucher.status) &&
      html`<a class="button secondary" href="${path}/cancel">Cancel the voucher</a>`,
  ].filter((link) => link !== false);
  return links.length === 0 ? undefined : html`<p class="actions">${links}</p>`;
}
