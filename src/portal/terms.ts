import { type MerchantTerms, readMerchantTerms } from '../db/vouchers/merchant-terms.js';
import { maskMsisdn } from '../domain/phone.js';
import { type Html, html } from '../process/html.js';
import { facts } from './layout/facts.js';
import { message, time } from './layout/parts.js';
import type { AccountRequest } from './page.js';

/** What a merchant is charged and where it is paid to, which operators set. */
export async function termsCard({ services, session }: AccountRequest): Promise<Html> {
  const terms = await readMerchantTerms(services.database, session.company.id);
  return html`<section class="card"><h2>Your fee and your account</h2>
${!isWhole(terms) && INCOMPLETE}
${facts({
  'Service fee': feeOf(terms),
  'Paid to': accountOf(terms),
  ...(terms.payout && { 'Paid there since': time(terms.payout.since) }),
})}
${
  terms.payout &&
  html`<p class="quiet">If the account is not yours, tell your contact at the service at once.</p>`
}</section>`;
}

const isWhole = ({ serviceFeePercent, payout }: MerchantTerms) =>
  serviceFeePercent !== null && payout !== null;

const INCOMPLETE = message(
  'warning',
  html`<strong>Vouchers cannot be redeemed at your shops yet.</strong> Your contact at the service has to
set what is missing here.`,
);

const feeOf = ({ serviceFeePercent }: MerchantTerms) =>
  serviceFeePercent === null ? 'Not set' : `${Number(serviceFeePercent)} % of what is redeemed`;

const kinds: Readonly<Record<string, string>> = {
  msisdn: 'Mobile money',
  accountid: 'Account',
  walletid: 'Wallet',
};

const accountOf = ({ payout }: MerchantTerms) =>
  payout === null
    ? 'Not set'
    : html`${kinds[payout.key] ?? payout.key} <code>${maskMsisdn(payout.value)}</code>`;
