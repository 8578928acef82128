import { readLowBalances, setLowBalance as set } from '../../db/ledger/ledger.ts';
import { mayUse } from '../../domain/access.ts';
import { formatMoney, parseRequestAmount, plainAmount, withoutGroups } from '../../domain/money.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { sentence } from '../language/language.ts';
import { walletCards, walletLabels } from '../layout/company-parts.ts';
import { asSent, field, questionPage, type WrongFields } from '../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal, redirect } from '../page.ts';
import { changeAccess } from '../session/confirmation.ts';

export const BALANCES_PATH = `${PORTAL_PATH}/balances`;

/** The balances as cards. */
export const balanceCards = ({ services, session }: AccountRequest): Promise<Html> =>
  walletCards(services.database, session.company.id, {
    statements: mayUse(session.role, 'export') ? BALANCES_PATH : undefined,
    change: (wallet, low) => mayUse(session.role, 'operate') && changeLowLink(wallet, low),
  });

/** A link to the balance below which a wallet is low. */
const changeLowLink = (wallet: string, low: string | null): Html =>
  html`<a href="${BALANCES_PATH}/${wallet}/low-balance">${phrase(
    low === null ? 'Warn when it is low' : 'Change the warning',
  )}<span class="visually-hidden"> (${phrase(`${wallet} wallet`)})</span></a>`;

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

async function lowBalancePage(request: AccountRequest, wrong?: WrongFields): Promise<PageAnswer> {
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
      ...asSent(request, wrong)('threshold', known === null ? '' : plainAmount(known)),
      label: 'Low below, in ETB',
      hint: 'Empty: no warning.',
      maximumLength: 17,
      isOptional: true,
    })}
`,
    button: 'Save',
    back: BALANCES_PATH,
  });
}

/** Asks for the balance below which a wallet is low, and sets it. */
export const setLowBalancePages = portal.asked({
  path: '/balances/:wallet/low-balance',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  ask: lowBalancePage,
  async handle(request) {
    const wallet = lowWalletOf(request);
    if (wallet === undefined) return problems.notFound;
    const value = withoutGroups(request.form.text('threshold').replaceAll(/\s/g, ''));
    const threshold = value === '' ? null : parseRequestAmount(value);
    if (threshold === undefined)
      return lowBalancePage(request, {
        threshold: 'Enter an amount above 0, such as 1000 or 99.50.',
      });
    await changeAccess(request, 'set low-balance', async (transaction) => {
      const partnerId = request.session.company.id;
      const before = await set(transaction, { partnerId, wallet, threshold });
      const after = threshold === null ? null : formatMoney(threshold);
      return { result: true, details: { wallet, before, after } };
    });
    return redirect(
      BALANCES_PATH,
      sentence(
        wallet === 'gift'
          ? 'The low balance of the gift wallet is saved.'
          : 'The low balance of the airtime wallet is saved.',
      ),
    );
  },
});
