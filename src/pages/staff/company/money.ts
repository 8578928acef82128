import type { FoundCompany } from '../../../db/catalogue/companies.ts';
import type { Days } from '../../../db/days.ts';
import { type ListedDeposit, listDeposits } from '../../../db/ledger/deposits.ts';
import { salesPerDay } from '../../../db/ledger/sales.ts';
import { payoutsPerDay } from '../../../db/lists/redemptions.ts';
import { formatGroupedAmount } from '../../../domain/money.ts';
import { mayAsStaff } from '../../../domain/staff.ts';
import { type Html, html } from '../../../rendering/html.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { creditGoodwillRepair, undoDepositRepair } from '../../../repairs/wallet-repairs.ts';
import { timeZone } from '../../language/time-zone.ts';
import { payoutColumns, salesColumns, walletCards } from '../../layout/company-parts.ts';
import { daysForm } from '../../layout/forms.ts';
import {
  amountText,
  badge,
  daysAfter,
  emptyState,
  message,
  readDays,
  table,
  time,
  today,
} from '../../layout/parts.ts';
import { accountStatement } from '../../layout/statement.ts';
import { type StaffRequest, SUPPORT_PATH } from '../../page.ts';
import { type RefusedForm, repairForm } from '../repair-form.ts';
import { companyPath } from '../repair-parts.ts';
import { companyPages, declarePart, partPage } from './company-pages.ts';

/** A partner's balances, each with its account statement. */
export const balancesCards = ({ services }: StaffRequest, company: FoundCompany): Promise<Html> =>
  walletCards(services.database, company.id, { statements: `${companyPath(company)}/balances` });

/** The account statement of a wallet of a partner. */
export const companyStatementPages = companyPages({
  path: '/balances/:wallet',
  kinds: ['partner'],
  handle: (request, company) =>
    accountStatement(request, {
      partnerId: company.id,
      root: `${companyPath(company)}/balances`,
      back: { path: companyPath(company), name: company.name },
      site: SUPPORT_PATH,
    }),
});

/** Whether a person may ask for repairs of wallets. */
const mayRepair = ({ session }: StaffRequest): boolean => mayAsStaff(session.staff.role, 'operate');

/** The deposits of a partner, and the repairs of its wallets. */
export const depositsPart = declarePart<ListedDeposit>({
  path: '/deposits',
  title: 'Deposits',
  kinds: ['partner'],
  nothing: 'No money was deposited yet.',
  read: ({ services }, { id }, page) => listDeposits(services.database, id, page),
  intro: (request) =>
    mayRepair(request) &&
    html`<p>From ETB ${formatGroupedAmount(request.services.settings.repairs.repairConfirmFrom)} on, also together within 24
hours, another person must confirm a repair of a wallet.</p>`,
  columns: (request) => [
    {
      title: 'Reference',
      phone: 'head',
      value: ({ reference }) => html`<code>${reference}</code>`,
    },
    { title: 'Wallet', phone: 'plain', value: ({ wallet }) => wallet },
    { title: 'When', phone: 'plain', value: ({ at }) => time(at) },
    {
      title: 'ETB',
      phone: 'figure etb',
      align: 'right',
      value: ({ amount }) => amountText(amount),
    },
    {
      title: 'State',
      phone: 'plain',
      value: ({ reversedAt }) =>
        reversedAt
          ? html`${badge('warning', 'Taken back')} ${time(reversedAt)}`
          : badge('success', 'Deposited'),
    },
    ...(mayRepair(request)
      ? [{ title: 'Repair', phone: 'plain' as const, value: undoForm(request) }]
      : []),
  ],
  further: (request, company, refused) =>
    mayRepair(request) && goodwillForm(request, company, refused),
});

const undoForm =
  (request: StaffRequest) =>
  ({ id, reference, reversedAt }: ListedDeposit): Html | false =>
    reversedAt === null &&
    folded(
      undoDepositRepair,
      repairForm(request, undoDepositRepair, {
        key: String(id),
        subject: reference,
        button: undoDepositRepair.button,
      }),
    );

const goodwillForm = (
  request: StaffRequest,
  { id }: FoundCompany,
  refused: RefusedForm | undefined,
): Html => {
  const isRefused = refused?.kind === creditGoodwillRepair.name;
  return html`<div class="choices">${folded(
    creditGoodwillRepair,
    repairForm(request, creditGoodwillRepair, {
      key: 'company',
      subject: String(id),
      values: isRefused ? refused?.values : undefined,
      button: creditGoodwillRepair.button,
    }),
    isRefused,
  )}</div>`;
};

/** A form behind its title. */
const folded = ({ title, summary }: RepairKind, form: Html, isOpen = false): Html =>
  html`<details${isOpen && html` open`}><summary class="button secondary">${title}</summary>
<p>${summary}</p>
${form}</details>`;

const DAYS = 14;

/** The sales, or the payouts, of the last days. */
export const salesCard = async (request: StaffRequest, company: FoundCompany): Promise<Html> =>
  html`<section class="card" id="sales"><h2>${titleOf(company)}</h2>
${await salesTable(request, company, { first: daysAfter(today(), 1 - DAYS), last: today(), zone: timeZone() })}
<p><a href="${companyPath(company)}/sales">Choose the days</a></p></section>`;

const titleOf = ({ kind }: FoundCompany) =>
  kind === 'partner' ? 'Sales by day' : 'Payouts by day';

/** The same for chosen days. */
export const salesPages = companyPages({
  path: '/sales',
  async handle(request, company) {
    const range = readDays(request.query);
    return partPage(company, {
      title: titleOf(company),
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
      ? tableOfSales(await salesPerDay(database, id, days))
      : tableOfPayouts(await payoutsPerDay(database, id, days)),
  );
  return shown ?? message('notice', 'The figures are not available at the moment.');
}

function tableOfSales(all: Awaited<ReturnType<typeof salesPerDay>>): Html {
  const days = all.filter(({ vouchers, topups }) => vouchers + topups > 0).toReversed();
  if (days.length === 0) return emptyState('None', 'Nothing was sold on these days.');
  return table('Sales by day, newest first', days, [
    { title: 'Day', phone: 'head', value: ({ day }) => day },
    ...salesColumns,
  ]);
}

function tableOfPayouts(all: Awaited<ReturnType<typeof payoutsPerDay>>): Html {
  const days = all.filter(({ payouts }) => payouts > 0).toReversed();
  if (days.length === 0) return emptyState('None', 'Nothing was paid on these days.');
  return table('Payouts by day, newest first', days, [
    { title: 'Day', phone: 'head', value: ({ day }) => day },
    ...payoutColumns,
  ]);
}
