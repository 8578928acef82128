import { type DayOfSales, salesPerDay } from '../../db/ledger/sales.js';
import { formatMoney, parseMoney } from '../../domain/money.js';
import { type Html, html } from '../../process/html.js';
import { barChart } from '../layout/chart.js';
import { readDays } from '../layout/days.js';
import { daysForm } from '../layout/filter-form.js';
import { amount, money } from '../layout/money.js';
import { emptyState, table } from '../layout/parts.js';
import { type AccountPage, PORTAL_PATH } from '../page.js';

/** A partner's sales per day: generated vouchers and delivered top-ups. */
export const showSales: AccountPage = {
  method: 'GET',
  path: '/sales',
  access: 'account',
  kind: 'partner',
  async handle({ services, session, query }) {
    const range = readDays(query, new Date());
    const days =
      range.days && (await salesPerDay(services.database, session.company.id, range.days));
    return {
      kind: 'page',
      title: 'Sales',
      ...(days ? {} : { status: 422 }),
      content: html`<h1>Sales per day</h1>
<p>Vouchers count when they are generated, top-ups when they are delivered. Days are days in UTC.</p>
<section class="card">${daysForm(`${PORTAL_PATH}/sales`, range)}</section>
${days && sales(days)}`,
    };
  },
};

function sales(days: readonly DayOfSales[]): Html {
  const total = totalOf(days);
  if (total.vouchers + total.topups === 0)
    return emptyState('No sales', 'Nothing was sold on these days.');
  return html`<div class="cards wide">
${chartOf(
  'vouchers',
  `Vouchers: ${total.vouchers} for`,
  total.voucherAmount,
  days.map(({ day, vouchers, voucherAmount }) => ({ day, count: vouchers, sum: voucherAmount })),
)}
${chartOf(
  'top-ups',
  `Top-ups: ${total.topups} for`,
  total.topupAmount,
  days.map(({ day, topups, topupAmount }) => ({ day, count: topups, sum: topupAmount })),
)}
</div>
<section class="card compact"><h2>Figures</h2>
${table(
  'Sales per day, newest first',
  [{ ...total, day: 'All days' }, ...days.toReversed()],
  [
    { title: 'Day', value: ({ day }) => day },
    { title: 'Vouchers', value: ({ vouchers }) => vouchers, align: 'right' },
    { title: 'ETB', value: ({ voucherAmount }) => amount(voucherAmount), align: 'right' },
    { title: 'Top-ups', value: ({ topups }) => topups, align: 'right' },
    { title: 'ETB ', value: ({ topupAmount }) => amount(topupAmount), align: 'right' },
  ],
)}</section>`;
}

const chartOf = (
  id: string,
  heading: string,
  total: string,
  days: readonly { readonly day: string; readonly count: number; readonly sum: string }[],
): Html => html`<section class="card"><h2>${heading} ${money(total)}</h2>
${barChart({
  id,
  title: `ETB per day: ${id}`,
  description: `From ${days[0]?.day} to ${days.at(-1)?.day}. The table on this page has the figures.`,
  bars: days.map(({ day, count, sum }) => ({
    day,
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
