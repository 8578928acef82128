import type { FoundCompany } from '../../../db/catalogue/companies.ts';
import type { Days } from '../../../db/days.ts';
import { findDepositOf, type ListedDeposit, listDeposits } from '../../../db/ledger/deposits.ts';
import { partnerBalances } from '../../../db/ledger/ledger.ts';
import { salesPerDay } from '../../../db/ledger/sales.ts';
import { payoutsPerDay } from '../../../db/lists/redemptions.ts';
import { findShownRepair } from '../../../db/repairs/repair-lists.ts';
import { findOpenRepair } from '../../../db/repairs/repairs.ts';
import { amountText, formatGroupedAmount, parseMoney } from '../../../domain/money.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { correctDepositRepair, creditGoodwillRepair } from '../../../repairs/wallet-repairs.ts';
import { problems } from '../../answers.ts';
import {
  payoutColumns,
  salesColumns,
  walletCards,
  walletLabels,
} from '../../layout/company-parts.ts';
import { daysForm } from '../../layout/forms.ts';
import {
  amountColumn,
  badge,
  emptyState,
  message,
  money,
  readDays,
  type TableColumn,
  table,
  textColumn,
  time,
  timeColumn,
} from '../../layout/parts.ts';
import { accountStatement } from '../../layout/statement.ts';
import { type PageAnswer, type StaffRequest, SUPPORT_PATH, staffMay } from '../../page.ts';
import { nextChoices, offerOf, type RefusedForm, repairForm } from '../repair-form.ts';
import { companyPath, depositPath } from '../repair-parts.ts';
import { companyPages, declarePart, partPage } from './company-pages.ts';

/** The account statement of a wallet of a partner. */
const companyStatementPages = companyPages({
  path: '/balances/:wallet',
  kinds: ['partner'],
  handle: (request, company) =>
    accountStatement(request, {
      partnerId: company.id,
      root: `${companyPath(company)}/balances`,
      back: { path: `${companyPath(company)}/money`, name: `${company.name}: money` },
      site: SUPPORT_PATH,
      deposits: `${companyPath(company)}/deposits`,
    }),
});

/** The wallets of a partner, each with its account statement, its deposits, and a credit as goodwill. */
export const moneyPart = declarePart<ListedDeposit>({
  path: '/money',
  title: 'Money',
  kinds: ['partner'],
  nothing: 'No money was deposited yet.',
  read: ({ services }, { id }, page) => listDeposits(services.database, id, page),
  intro: ({ services }, company) =>
    walletCards(services.database, company.id, { statements: `${companyPath(company)}/balances` }),
  columns: (_request, { id }) => [
    textColumn(
      'Deposit',
      ({ reference }) =>
        html`<a href="${depositPath(id, reference)}"><code>${reference}</code></a>`,
      'head',
    ),
    textColumn('Wallet', 'wallet', 'plain'),
    timeColumn('When', 'at'),
    amountColumn(({ amount }) => amount),
    textColumn('State', depositState, 'plain'),
  ],
  further: (request, company, refused) =>
    staffMay(request, 'operate') && goodwillForm(request, company, refused),
});

const depositState = (deposit: ListedDeposit): Html =>
  html`${
    deposit.correctedAt
      ? html`${badge('plain', correctedTo(deposit))} ${time(deposit.correctedAt)}`
      : badge('success', 'Deposited')
  } ${deposit.alike.length > 0 && badge('warning', 'Twice?')}`;

const isTakenBack = ({ present }: ListedDeposit): boolean => parseMoney(present) === 0n;

const correctedTo = (deposit: ListedDeposit): string =>
  isTakenBack(deposit) ? 'Taken back' : `Corrected to ETB ${amountText(deposit.present)}`;

const goodwillForm = (
  request: StaffRequest,
  { id }: FoundCompany,
  refused: RefusedForm | undefined,
): Html => {
  const { title, summary, button, name } = creditGoodwillRepair;
  const { repairConfirmFrom } = request.services.settings.repairs;
  return html`<div class="choices"><details${refused && html` open`}><summary class="button secondary">${title}</summary>
<p>${summary} From ETB ${formatGroupedAmount(repairConfirmFrom)} on, also together within 24 hours, another person must
confirm it.</p>
${repairForm(request, creditGoodwillRepair, {
  subject: String(id),
  isRefused: refused?.kind === name,
  button,
})}</details></div>`;
};

/** The page of a deposit of a partner; `refused` where nothing came of a form. */
export async function depositPage(
  request: StaffRequest,
  company: FoundCompany,
  { reference, refused }: { readonly reference: string; readonly refused?: RefusedForm },
): Promise<PageAnswer> {
  const { database } = request.services;
  const deposit = await findDepositOf(database, company.id, reference);
  if (!deposit) return problems.notFound;
  const { amount, wallet, at } = deposit;
  const others = await Promise.all(
    deposit.alike.map((other) => findDepositOf(database, company.id, other)),
  );
  const alike = others.filter((other) => other !== undefined);
  return {
    kind: 'page',
    title: `Deposit ${deposit.reference}`,
    status: refused && 409,
    content: html`<p><a href="${companyPath(company)}/money">${company.name}: money</a></p>
<h1>Deposit <code>${deposit.reference}</code> ${depositState({ ...deposit, alike: [] })}</h1>
<p>${money(amount)} · ${wallet} wallet · ${time(at)} · <a href="${companyPath(company)}/balances/${wallet}">Statement</a></p>
${
  alike.length > 0 &&
  message(
    'warning',
    html`<div>It may be the same payment as ${alike.map(
      (other, index) => html`${index > 0 && ', and as '}${likeness(company, deposit, other)}`,
    )}.</div>`,
  )
}
${await correcting(request, company, { deposit, refused })}`,
  };
}

/** Another deposit, with what a person compares at the bank. */
const likeness = ({ id }: FoundCompany, deposit: ListedDeposit, other: ListedDeposit): Html =>
  html`<a href="${depositPath(id, other.reference)}">${other.reference}</a>, booked
${other.id < deposit.id ? 'before' : 'after'} this one: ${money(other.amount)} · ${other.wallet} wallet · ${time(other.at)}`;

/** The form that corrects a deposit, for those who may ask for it. */
async function correcting(
  request: StaffRequest,
  company: FoundCompany,
  {
    deposit,
    refused,
  }: { readonly deposit: ListedDeposit; readonly refused: RefusedForm | undefined },
): Promise<Html> {
  const { reference, wallet } = deposit;
  const { database } = request.services;
  const { [wallet]: balance } = await partnerBalances(database, company.id);
  const kind = correctDepositRepair;
  const open = await findOpenRepair(database, {
    kind: kind.name,
    subject_kind: kind.subject,
    subject_id: reference,
  });
  const mayRepair = staffMay(request, 'operate');
  const offer = mayRepair
    ? await offerOf(request, {
        kind,
        subjectId: reference,
        open: open && (await findShownRepair(database, open.id)),
      })
    : undefined;
  return nextChoices(request, {
    offers: offer ? [offer] : [],
    refused,
    next: {
      happened: html`${walletLabels[wallet].name}: ${money(balance)}`,
      toDo: isTakenBack(deposit)
        ? html`The whole deposit is taken back.`
        : html`Compare the deposit with the bank.${!mayRepair && ' If it is wrong, tell an operator.'}`,
      first: kind.name,
    },
  });
}

const depositPages = companyPages({
  path: '/deposits/:reference',
  kinds: ['partner'],
  handle: (request, company) =>
    depositPage(request, company, { reference: request.params.reference ?? '' }),
});

/** The pages below the money of a partner. */
export const pagesOfMoney = [...companyStatementPages, ...depositPages];

/** The title of those pages. */
export const salesTitle = ({ kind }: FoundCompany) =>
  kind === 'partner' ? 'Sales by day' : 'Payouts by day';

/** The sales, or the payouts, of chosen days. */
export const salesPages = companyPages({
  path: '/sales',
  async handle(request, company) {
    const range = readDays(request.query);
    return partPage(company, {
      title: salesTitle(company),
      status: range.days ? undefined : 422,
      content: html`<section class="card">${daysForm(`${companyPath(company)}/sales`, range)}
${range.days && (await salesTable(request, company, range.days))}</section>`,
    });
  },
});

/** Days without sales are left out. Its query uses the connections of lists. */
async function salesTable(
  { services }: StaffRequest,
  company: FoundCompany,
  days: Days,
): Promise<Html> {
  const { kind, id } = company;
  const shown = await services.lists.read(company, async (database) =>
    kind === 'partner'
      ? tableOfDays(
          'Sales by day, newest first',
          (await salesPerDay(database, id, days)).filter(
            ({ vouchers, topups }) => vouchers + topups > 0,
          ),
          salesColumns,
          'Nothing was sold on these days.',
        )
      : tableOfDays(
          'Payouts by day, newest first',
          (await payoutsPerDay(database, id, days)).filter(({ payouts }) => payouts > 0),
          payoutColumns,
          'Nothing was paid on these days.',
        ),
  );
  return shown ?? message('notice', 'The figures are not available at the moment.');
}

const tableOfDays = <Day extends { readonly day: string }>(
  caption: string,
  days: readonly Day[],
  columns: readonly TableColumn<Day>[],
  none: string,
): Html =>
  table(
    caption,
    days.toReversed(),
    [textColumn<Day>('Day', ({ day }) => day, 'head'), ...columns],
    emptyState('None', none),
  );
