import { type DayOfSales, salesPerDay } from '../../db/ledger/sales.ts';
import { type Margin, readMargins } from '../../db/overview/margins.ts';
import { mayUse } from '../../domain/access/portal-role.ts';
import { formatMoney, parseMoney } from '../../domain/money.ts';
import { barChart } from '../../rendering/bar-chart.ts';
import { csv } from '../../rendering/csv.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import { readDays, withoutEmptyEnds } from '../layout/days.ts';
import { daysForm } from '../layout/filter-form.ts';
import { amount, money, plainAmount } from '../layout/money.ts';
import { addressOf } from '../layout/paging.ts';
import { emptyState, table } from '../layout/parts.ts';
import { type AccountPage, type PageAnswer, PORTAL_PATH } from '../page.ts';
import { problems } from '../problem-page.ts';
import { timeZone } from '../time-zone.ts';

/** A partner's sales per day: generated vouchers and delivered top-ups. */
export const showSales: AccountPage = {
  method: 'GET',
  path: '/sales',
  access: 'account',
  needs: 'read',
  kind: 'partner',
  async handle({ services, session, query }) {
    const range = readDays(query);
    const { days: asked } = range;
    const found =
      asked &&
      (await services.lists.read(session.company, async (database) => ({
        days: await salesPerDay(database, session.company.id, asked),
        margins: await readMargins(database, session.company.id, asked),
      })));
    if (asked && !found) return problems.busy;
    const download = addressOf(`${PORTAL_PATH}/sales/download`, range.values);
    return {
      kind: 'page',
      title: 'Sales',
      ...(found ? {} : { status: 422 }),
      content: html`<h1>Sales per day</h1>
<p>Vouchers count when they are generated, top-ups when they are delivered.</p>
<section class="card">${daysForm(`${PORTAL_PATH}/sales`, range)}
${found && mayUse(session.role, 'export') && html`<p><a href="${download}">Download as CSV</a></p>`}</section>
${found && sales(found.days, found.margins)}`,
    };
  },
};

function sales(all: readonly DayOfSales[], margins: readonly Margin[]): Html {
  const days = withoutEmptyEnds(all, ({ vouchers, topups }) => vouchers + topups === 0);
  const total = totalOf(days);
  if (total.vouchers + total.topups === 0)
    return emptyState('No sales', 'Nothing was sold on these days.');
  return html`<div class="cards wide">
${chartOf(
  'vouchers',
  html`Vouchers: ${total.vouchers} for ${money(total.voucherAmount)}`,
  days.map(({ day, vouchers, voucherAmount }) => ({ day, count: vouchers, sum: voucherAmount })),
)}
${chartOf(
  'top-ups',
  html`Top-ups: ${total.topups} for ${money(total.topupAmount)}`,
  days.map(({ day, topups, topupAmount }) => ({ day, count: topups, sum: topupAmount })),
)}
</div>
${marginCard(margins)}
<section class="card compact"><h2>Figures</h2>
${table(
  'Sales per day, newest first',
  [{ ...total, day: 'All days' }, ...days.toReversed()],
  [
    { title: 'Day', value: ({ day }) => phrase(day) },
    { title: 'Vouchers', value: ({ vouchers }) => vouchers, align: 'right' },
    { title: 'ETB', value: ({ voucherAmount }) => amount(voucherAmount), align: 'right' },
    { title: 'Top-ups', value: ({ topups }) => topups, align: 'right' },
    { title: 'ETB ', value: ({ topupAmount }) => amount(topupAmount), align: 'right' },
  ],
)}</section>`;
}

/** The sales as a file, oldest first. */
export const downloadSales: AccountPage = {
  method: 'GET',
  path: '/sales/download',
  access: 'account',
  needs: 'export',
  kind: 'partner',
  async handle({ services, session, query }): Promise<PageAnswer> {
    const { days } = readDays(query);
    if (days === undefined) return problems.invalid;
    const found = await services.lists.read(session.company, (database) =>
      salesPerDay(database, session.company.id, days),
    );
    if (!found) return problems.busy;
    return {
      kind: 'file',
      name: `sales-${days.first}-${days.last}.csv`,
      type: 'text/csv',
      content: csv([
        [`Day (${timeZone()})`, 'Vouchers', 'Vouchers (ETB)', 'Top-ups', 'Top-ups (ETB)'],
        ...found.map((day) => [
          ...[day.day, day.vouchers, plainAmount(day.voucherAmount)],
          ...[day.topups, plainAmount(day.topupAmount)],
        ]),
      ]),
    };
  },
};

const marginNames = { vouchers: 'Vouchers', topups: 'Top-ups' } as const;

/** What was earned, in USD and ETB: only of sales that named their price and exchange rate. */
const marginCard = (margins: readonly Margin[]): Html | false =>
  margins.some(({ counted }) => counted > 0) &&
  html`<section class="card"><h2>Margin</h2>
<p>Your selling price less the cost in ETB, at the exchange rate that your server named with each sale.</p>
${table('Margin', margins, [
  { title: 'What', value: ({ kind }) => phrase(marginNames[kind]) },
  {
    title: 'Counted',
    value: ({ counted, sales: all }) => html`${counted} of ${all}`,
    align: 'right',
  },
  { title: 'Sold, USD', value: ({ soldUsd }) => amount(soldUsd), align: 'right' },
  { title: 'Cost, USD', value: ({ costUsd }) => amount(costUsd), align: 'right' },
  { title: 'Margin, USD', value: ({ marginUsd }) => amount(marginUsd), align: 'right' },
  { title: 'Margin, ETB', value: ({ marginEtb }) => amount(marginEtb), align: 'right' },
])}</section>`;

/** The chart of one kind of sales, unless there were none. */
const chartOf = (
  id: string,
  heading: Html,
  days: readonly { readonly day: string; readonly count: number; readonly sum: string }[],
): Html | false =>
  days.some(({ count }) => count > 0) &&
  html`<section class="card"><h2>${heading}</h2>
${barChart({
  id,
  title: `ETB per day: ${id}`,
  description: sentence(
    'From {1} to {2}. The table on this page has the figures.',
    days[0]?.day ?? '',
    days.at(-1)?.day ?? '',
  ),
  bars: days.map(({ day, count, sum }) => ({
    label: day,
    amount: sum,
    words: `${day}: ${count}, ETB ${amount(sum)}`,
  })),
})}</section>`;

const totalOf = (days: readonly DayOfSales[]): Omit<DayOfSales, 'day'> => {
  const sum = (value: (day: DayOfSales) => string) =>
    formatMoney(days.reduce((total, day) => total + parseMoney(value(day)), 0n));
  return {
    vouchers: days.reduce((total, { vouchers }) => total + vouchers, 0),
    topups: days.reduce((total, { topups }) => total + topups, 0),
    voucherAmount: sum(({ voucherAmount }) => voucherAmount),
    topupAmount: sum(({ topupAmount }) => topupAmount),
  };
};
