import { partnerBalances } from '../../db/ledger/ledger.ts';
import { readLowBalances } from '../../db/ledger/low-balances.ts';
import type { Wallet } from '../../db/ledger/statement-lines.ts';
import { mayUse, type PortalRole } from '../../domain/access/portal-role.ts';
import { parseMoney } from '../../domain/money.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { type AccountRequest, PORTAL_PATH } from '../page.ts';
import { money } from './money.ts';
import { badge } from './parts.ts';
import { walletLabels } from './wallet-labels.ts';

/** The balances as cards. */
export async function balanceCards({ services, session }: AccountRequest): Promise<Html> {
  const balances = await partnerBalances(services.database, session.company.id);
  const lows = await readLowBalances(services.database, session.company.id);
  const cards = Object.entries(walletLabels).map(([wallet, { name, text }]) => {
    const balance = balances[wallet as Wallet];
    const low = wallet === 'reserved' ? undefined : lows[wallet as keyof typeof lows];
    return html`<section class="card figure"><h2>${phrase(name)}</h2>
<p class="amount">${money(balance)}</p>
<p class="quiet">${phrase(text)}</p>
${low !== undefined && lowNote({ wallet, balance, low, role: session.role })}
${
  mayUse(session.role, 'export') &&
  html`<p><a href="${PORTAL_PATH}/balances/${wallet}">Statement<span class="visually-hidden">
of the ${phrase(name.toLowerCase())}</span></a></p>`
}</section>`;
  });
  return html`<div class="cards">${cards}</div>`;
}

/** Whether a wallet is low, and since which balance; a link to change that. */
function lowNote({
  wallet,
  balance,
  low,
  role,
}: {
  readonly wallet: string;
  readonly balance: string;
  readonly low: string | null;
  readonly role: PortalRole;
}): Html {
  const isLow = low !== null && parseMoney(balance) < parseMoney(low);
  const change =
    mayUse(role, 'operate') &&
    html`<a href="${PORTAL_PATH}/balances/${wallet}/low-balance">${phrase(
      low === null ? 'Warn when it is low' : 'Change the warning',
    )}<span class="visually-hidden"> (${phrase(`${wallet} wallet`)})</span></a>`;
  return html`<p>${isLow && badge('danger', 'Low')} ${low !== null && html`Low below ${money(low)}.`} ${change}</p>`;
}
