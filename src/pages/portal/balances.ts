import type { Wallet } from '../../db/ledger/account-statements.ts';
import { partnerBalances, readLowBalances, setLowBalance as set } from '../../db/ledger/ledger.ts';
import { mayUse, type PortalRole } from '../../domain/access.ts';
import {
  formatAmount,
  formatMoney,
  parseMoney,
  parseRequestAmount,
  withoutGroups,
} from '../../domain/money.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { type KnownText, sentence } from '../language/language.ts';
import { badge, field, money, questionPage } from '../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal } from '../page.ts';
import { changeAccess } from '../session/confirmation.ts';

const BALANCES_PATH = `${PORTAL_PATH}/balances`;

/** The labels of a partner's balances, in the order of the specification (2.10). */
export const walletLabels: Readonly<
  Record<Wallet, { readonly name: KnownText; readonly text: KnownText }>
> = {
  airtime: { name: 'Airtime wallet', text: 'Airtime and packages are paid from it.' },
  gift: { name: 'Gift wallet', text: 'Vouchers are generated from it.' },
  reserved: {
    name: 'Unused vouchers',
    text: 'The unused value of your vouchers.',
  },
};

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
  html`<p><a href="${BALANCES_PATH}/${wallet}">Statement<span class="visually-hidden">
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
    html`<a href="${BALANCES_PATH}/${wallet}/low-balance">${phrase(
      low === null ? 'Warn when it is low' : 'Change the warning',
    )}<span class="visually-hidden"> (${phrase(`${wallet} wallet`)})</span></a>`;
  return html`<p>${isLow && badge('danger', 'Low')} ${low !== null && html`Low below ${money(low)}.`} ${change}</p>`;
}

/** A partner's three balances (specification 2.10), with links to their statements. */
export const showBalances = portal.page({
  path: '/balances',
  needs: 'read',
  kind: 'partner',
  title: 'Balances',
  handle: async (request) => html`<h1>Balances</h1>
<p>The current balances of the ledger. Each statement explains its balance line by line.</p>
${await balanceCards(request)}
<p class="quiet">To put money into a wallet, pay it to the service; an operator books the deposit.</p>`,
});

const lowWalletOf = ({ params: { wallet } }: AccountRequest) =>
  wallet === 'gift' || wallet === 'airtime' ? wallet : undefined;

/** Asks for the balance below which a wallet is low. */
export const askLowBalance = portal.page({
  path: '/balances/:wallet/low-balance',
  needs: 'operate',
  kind: 'partner',
  handle: (request) => lowBalancePage(request),
});

async function lowBalancePage(
  request: AccountRequest,
  wrong?: { readonly value: string; readonly problem: string },
): Promise<PageAnswer> {
  const wallet = lowWalletOf(request);
  if (wallet === undefined) return problems.notFound;
  const { services, session } = request;
  const known = (await readLowBalances(services.database, session.company.id))[wallet];
  return questionPage(request, {
    title: 'Low balance',
    status: wrong && 422,
    heading: html`When is the ${phrase(walletLabels[wallet].name.toLowerCase())} low?`,
    text: html`<p>Below this balance the overview warns, and your webhooks get the event
<code>balance.low</code>, once each time the balance falls below it.</p>`,
    fields: html`${field({
      name: 'threshold',
      label: 'Low below, in ETB',
      hint: 'Empty: no warning.',
      value: wrong?.value ?? (known === null ? '' : formatAmount(parseMoney(known))),
      error: wrong?.problem,
      maximumLength: 17,
      isOptional: true,
    })}
`,
    button: 'Save',
    back: BALANCES_PATH,
  });
}

/** Sets the balance below which a wallet is low. */
export const setLowBalanceForm = portal.form({
  path: '/balances/:wallet/low-balance',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  async handle(request) {
    const wallet = lowWalletOf(request);
    if (wallet === undefined) return problems.notFound;
    const value = withoutGroups(request.form.text('threshold').replaceAll(/\s/g, ''));
    const threshold = value === '' ? null : parseRequestAmount(value);
    if (threshold === undefined)
      return lowBalancePage(request, {
        value,
        problem: 'Enter an amount above 0, such as 1000 or 99.50.',
      });
    await changeAccess(request, 'set low-balance', async (transaction) => {
      const partnerId = request.session.company.id;
      const before = await set(transaction, { partnerId, wallet, threshold });
      const after = threshold === null ? null : formatMoney(threshold);
      return { result: true, details: { wallet, before, after } };
    });
    return {
      kind: 'redirect',
      to: BALANCES_PATH,
      notice: sentence(
        wallet === 'gift'
          ? 'The low balance of the gift wallet is saved.'
          : 'The low balance of the airtime wallet is saved.',
      ),
    };
  },
});
