import { partnerBalances, setLowBalance as set } from '../../db/ledger/ledger.ts';
import { mayUse } from '../../domain/access.ts';
import { plainAmount, readTypedAmount } from '../../domain/money.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import { walletCards, walletLabels } from '../layout/company-parts.ts';
import { asSent, field } from '../layout/parts.ts';
import { type AccountRequest, PORTAL_PATH, portal, redirect } from '../page.ts';
import { changePages } from '../session/changes.ts';

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

/** Asks for the balance below which a wallet is low, and sets it. */
export const setLowBalancePages = changePages(portal, {
  path: '/balances/:wallet/low-balance',
  needs: 'operate',
  kind: 'partner',
  async find({ session, params }, database) {
    const wallet = (['gift', 'airtime'] as const).find((one) => one === params.wallet);
    if (wallet === undefined) return undefined;
    return {
      wallet,
      known: (await partnerBalances(database, session.company.id)).low[wallet],
    };
  },
  question: ({ wallet, known }, request, wrong) => ({
    title: 'Low balance',
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
  }),
  read({ form }) {
    const typed = form.text('threshold').trim();
    const value = typed === '' ? null : readTypedAmount(typed);
    return value === undefined
      ? { wrong: { threshold: 'Enter an amount above 0, such as 1000 or 99.50.' } }
      : { value };
  },
  action: 'set low-balance',
  async work(transaction, request, { subject: { wallet }, value: threshold }) {
    const partnerId = request.session.company.id;
    return { details: await set(transaction, { partnerId, wallet, threshold }) };
  },
  done: ({ subject: { wallet } }) =>
    redirect(
      BALANCES_PATH,
      sentence(
        wallet === 'gift'
          ? 'The low balance of the gift wallet is saved.'
          : 'The low balance of the airtime wallet is saved.',
      ),
    ),
});
