import { partnerBalances } from '../../db/ledger/ledger.js';
import type { Wallet } from '../../db/ledger/statement-lines.js';
import { payoutsPerDay } from '../../db/vouchers/redemption-list.js';
import { formatMoney, parseMoney } from '../../domain/money.js';
import { type Html, html } from '../../process/html.js';
import { type AccountRequest, PORTAL_PATH } from '../page.js';
import { daysAfter, dayText } from './days.js';
import { money } from './money.js';
import { walletLabels } from './wallet-labels.js';

/** The most important figures of a company: its balances, or its payouts. */
export const keyFigures = (request: AccountRequest): Promise<Html> =>
  request.session.company.kind === 'partner' ? balanceCards(request) : payoutCards(request);

/** The balances as cards. */
export async function balanceCards({ services, session }: AccountRequest): Promise<Html> {
  const balances = await partnerBalances(services.database, session.company.id);
  const cards = Object.entries(walletLabels).map(
    ([wallet, { name, text }]) => html`<section class="card figure"><h2>${name}</h2>
<p class="amount">${money(balances[wallet as Wallet])}</p>
<p class="quiet">${text}</p>
<p><a href="${PORTAL_PATH}/balances/${wallet}">Statement<span class="visually-hidden">
of the ${name.toLowerCase()}</span></a></p></section>`,
  );
  return html`<div class="cards">${cards}</div>`;
}

async function payoutCards({ services, session }: AccountRequest): Promise<Html> {
  const today = dayText(new Date());
  const days = await payoutsPerDay(services.database, session.company.id, {
    first: daysAfter(today, -29),
    last: today,
  });
  const total = days.reduce((sum, { paid }) => sum + parseMoney(paid), 0n);
  const card = (name: string, value: string) =>
    html`<section class="card figure"><h2>${name}</h2><p class="amount">${money(value)}</p>
<p><a href="${PORTAL_PATH}/payouts">Payouts<span class="visually-hidden"> (${name})</span></a></p></section>`;
  return html`<div class="cards">${[
    card('Paid to you today', days.at(-1)?.paid ?? '0'),
    card('In the last 30 days', formatMoney(total)),
  ]}</div>`;
}
