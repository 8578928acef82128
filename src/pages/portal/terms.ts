import { type MerchantTerms, readMerchantTerms } from '../../db/vouchers/generation.ts';
import { type Html, html } from '../../rendering/html.ts';
import { termsFacts } from '../layout/company-parts.ts';
import { message } from '../layout/parts.ts';
import type { AccountRequest } from '../page.ts';

/** A merchant's service fee and payout account, which operators set. */
export async function termsCard({ services, session }: AccountRequest): Promise<Html> {
  const terms = await readMerchantTerms(services.database, session.company.id);
  return html`<section class="card"><h2>Your fee and your account</h2>
${!isWhole(terms) && INCOMPLETE}
${termsFacts(terms)}
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
