import { readLowBalances, setLowBalance as set } from '../../db/ledger/ledger.ts';
import {
  formatAmount,
  formatMoney,
  parseMoney,
  parseRequestAmount,
  withoutGroups,
} from '../../domain/money.ts';
import { html, phrase } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import { field, postForm, walletLabels } from '../layout/parts.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../page.ts';
import { changeAccess } from '../session/confirmation.ts';
import { problems } from './problem-page.ts';

const BALANCES_PATH = `${PORTAL_PATH}/balances`;

const walletOf = ({ params: { wallet } }: AccountRequest) =>
  wallet === 'gift' || wallet === 'airtime' ? wallet : undefined;

/** Asks for the balance below which a wallet is low. */
export const askLowBalance: AccountPage = {
  method: 'GET',
  path: '/balances/:wallet/low-balance',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  handle: (request) => lowBalancePage(request),
};

async function lowBalancePage(
  request: AccountRequest,
  wrong?: { readonly value: string; readonly problem: string },
): Promise<PageAnswer> {
  const wallet = walletOf(request);
  if (wallet === undefined) return problems.notFound;
  const { services, session, formToken } = request;
  const known = (await readLowBalances(services.database, session.company.id))[wallet];
  return {
    kind: 'page',
    title: 'Low balance',
    status: wrong ? 422 : 200,
    content: html`<h1>When is the ${phrase(walletLabels[wallet].name.toLowerCase())} low?</h1>
<section class="card"><p>Below this balance the overview warns, and your webhooks get the event
<code>balance.low</code>, once each time the balance falls below it.</p>
${postForm(
  { action: `${BALANCES_PATH}/${wallet}/low-balance`, formToken },
  html`${field({
    name: 'threshold',
    label: 'Low below, in ETB',
    hint: 'Empty: no warning.',
    value: wrong?.value ?? (known === null ? '' : formatAmount(parseMoney(known))),
    error: wrong?.problem,
    maximumLength: 17,
    isOptional: true,
  })}
<p class="actions"><button>Save</button><a href="${BALANCES_PATH}">Back</a></p>`,
)}</section>`,
  };
}

/** Sets the balance below which a wallet is low. */
export const setLowBalance: AccountPage = {
  method: 'POST',
  path: '/balances/:wallet/low-balance',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  async handle(request) {
    const wallet = walletOf(request);
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
};
