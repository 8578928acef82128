import { listAccountChecks } from '../../db/catalogue/payout-accounts.ts';
import { accountRemedy, maskedAccount } from '../../domain/payout-account.ts';
import { checkPayoutAccountOnce } from '../../operations/redemptions.ts';
import { type Html, html } from '../../rendering/html.ts';
import {
  emptyState,
  message,
  postForm,
  providerColumn,
  table,
  textColumn,
  time,
} from '../layout/parts.ts';
import { idOf, redirect, type StaffRequest, SUPPORT_PATH, staffMay, support } from '../page.ts';
import { companyLink, termsPath } from './repair-parts.ts';

const ACCOUNTS_PATH = `${SUPPORT_PATH}/payout-accounts`;
const SHOWN = 200;

type AccountCheck = Awaited<ReturnType<typeof listAccountChecks>>[number];

/**
 * The merchants that are not paid: a provider refuses their account, or has not confirmed its
 * holder.
 */
export const showPayoutAccounts = support.page({
  path: '/payout-accounts',
  title: 'Payout accounts',
  needs: 'look',
  async handle(request) {
    const { database, settings } = request.services;
    const unpaid = await listAccountChecks(database, {
      unpaidWithDefault: settings.defaultProviders.mobileMoneyProvider,
      limit: SHOWN + 1,
    });
    return html`<h1>Payout accounts</h1>
<p>Merchants whose payout account a provider refuses, or whose registered holder nobody has confirmed
(<code>not-offered</code>). Their redemptions are refused, the vouchers keep their value, and the provider is asked
again at each redemption.</p>
${
  unpaid.length === 0
    ? emptyState(
        'No account is refused',
        'No provider refuses an account, and no holder must be confirmed.',
      )
    : listOf(request, unpaid)
}`;
  },
});

const listOf = (request: StaffRequest, unpaid: readonly AccountCheck[]): Html =>
  html`<section class="card">
${accountTable(request, { caption: 'Accounts that cannot be paid', rows: unpaid.slice(0, SHOWN), back: 'list' })}
${unpaid.length > SHOWN && message('notice', `There are more than ${SHOWN}: an operator lists all.`)}</section>`;

/** Payout accounts with what providers say of them, and the form that asks again. */
export function accountTable(
  request: StaffRequest,
  {
    caption,
    rows,
    back,
  }: {
    readonly caption: string;
    readonly rows: readonly AccountCheck[];
    /** The page that the person comes back to. */
    readonly back: 'list' | 'company';
  },
): Html {
  // The name of a stranger whose account a merchant has given by mistake.
  const isNamed = staffMay(request, 'operate');
  return table(caption, rows, [
    textColumn(
      'Merchant',
      ({ merchant, merchantId }) =>
        html`${companyLink('merchant', merchantId, merchant)} (${merchantId})`,
      'head',
    ),
    textColumn('Account', maskedAccount, 'plain'),
    providerColumn,
    textColumn('Says', ({ state }) => state ?? '–', 'plain'),
    ...(isNamed
      ? [
          textColumn('Holder', ({ holder }: AccountCheck) => holder ?? '–'),
          textColumn('Expected', ({ expectedHolder }: AccountCheck) => expectedHolder ?? '–'),
        ]
      : []),
    textColumn('Asked', ({ checkedAt }) => (checkedAt ? time(checkedAt) : '–')),
    textColumn('To do', (one) => accountRemedy(one.state, one.expectedHolder) ?? '–'),
    textColumn('Ask again', (one) => askAgain(request, one, back)),
  ]);
}

const askAgain = (
  request: StaffRequest,
  { merchantId }: AccountCheck,
  back: 'list' | 'company',
): Html =>
  postForm(
    request,
    `${ACCOUNTS_PATH}/${merchantId}/ask`,
    html`<input type="hidden" name="back" value="${back}"><button>Ask again</button>`,
  );

/** Asks the providers again, as the command `merchant payout-account check` does. It moves no money. */
export const askForPayoutAccountForm = support.form({
  path: '/payout-accounts/:id/ask',
  needs: 'ask',
  confirmation: 'none',
  async handle(request) {
    const id = idOf(request);
    const checked = await checkPayoutAccountOnce(request.services, id);
    const isFromCompany = request.form.text('back') === 'company';
    const to = isFromCompany ? termsPath(id) : ACCOUNTS_PATH;
    return redirect(to, noticeOf(checked));
  },
});

function noticeOf(checked: Awaited<ReturnType<typeof checkPayoutAccountOnce>>): string {
  if (!checked || checked.problems.length > 0)
    return 'A provider has not answered: nothing is known yet. Ask again later.';
  return checked.isPaid
    ? 'The account can be paid now: the merchant redeems again.'
    : 'The account still cannot be paid.';
}
