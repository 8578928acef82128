import { type MerchantTerms, readMerchantTerms } from '../../db/vouchers/generation.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { facts, message, time } from '../layout/parts.ts';
import type { AccountRequest } from '../page.ts';

/** A merchant's service fee and payout account, which operators set. */
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
  html`<p class="quiet">If the account is not yours, inform your contact at the service at once.</p>`
}</section>`;
}

const isWhole = ({ serviceFeePercent, payout }: MerchantTerms) =>
  serviceFeePercent !== null && payout !== null;

const INCOMPLETE = message(
  'warning',
  html`<strong>Vouchers cannot be redeemed at your shops yet.</strong> Your contact at the service must
set the missing values.`,
);

const feeOf = ({ serviceFeePercent }: MerchantTerms) =>
  serviceFeePercent === null
    ? phrase('Not set')
    : html`${Number(serviceFeePercent)} % of the redeemed amount`;

const kinds: Readonly<Record<string, string>> = {
  msisdn: 'Mobile money',
  accountid: 'Account',
  walletid: 'Wallet',
};

const accountOf = ({ payout }: MerchantTerms) =>
  payout === null
    ? phrase('Not set')
    : html`${phrase(kinds[payout.key] ?? payout.key)} <code>${maskMsisdn(payout.value)}</code>`;
