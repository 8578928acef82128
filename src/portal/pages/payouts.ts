import { type DayOfPayouts, payoutsPerDay } from '../../db/vouchers/lists/payouts-per-day.ts';
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
import { termsCard } from '../terms.ts';
import { timeZone } from '../time-zone.ts';

/** A merchant's payouts per day. */
export const showPayouts: AccountPage = {
  method: 'GET',
  path: '/payouts',
  access: 'account',
  needs: 'read',
  kind: 'merchant',
  async handle(request) {
    const { services, session, query } = request;
    const range = readDays(query);
    const found =
      range.days && (await payoutsPerDay(services.database, session.company.id, range.days));
    const download = addressOf(`${PORTAL_PATH}/payouts/download`, range.values);
    return {
      kind: 'page',
      title: 'Payouts',
      ...(found ? {} : { status: 422 }),
      content: html`<h1>Payouts per day</h1>
<p>Payments to you through mobile money, by the day of the provider’s confirmation, without those that
were reversed.</p>
<section class="card">${daysForm(`${PORTAL_PATH}/payouts`, range)}
${found && mayUse(session.role, 'export') && html`<p><a href="${download}">Download as CSV</a></p>`}</section>
${found && payouts(found)}
${await termsCard(request)}`,
    };
  },
};

/** The payouts as a file, oldest first. */
export const downloadPayouts: AccountPage = {
  method: 'GET',
  path: '/payouts/download',
  access: 'account',
  needs: 'export',
  kind: 'merchant',
  async handle({ services, session, query }): Promise<PageAnswer> {
    const { days } = readDays(query);
    if (days === undefined) return problems.invalid;
    const found = await payoutsPerDay(services.database, session.company.id, days);
    return {
      kind: 'file',
      name: `payouts-${days.first}-${days.last}.csv`,
      type: 'text/csv',
      content: csv([
        [`Day (${timeZone()})`, 'Payouts', 'Paid (ETB)', 'Service fees (ETB)'],
        ...found.map((day) => [
          day.day,
          day.payouts,
          plainAmount(day.paid),
          plainAmount(day.serviceFees),
        ]),
      ]),
    };
  },
};

function payouts(all: readonly DayOfPayouts[]): Html {
  const days = withoutEmptyEnds(all, ({ payouts: count }) => count === 0);
  const total = totalOf(days);
  if (total.payouts === 0) return emptyState('No payouts', 'There were no payouts on these days.');
  return html`<section class="card"><h2>Payouts: ${total.payouts} for ${money(total.paid)}</h2>
${barChart({
  id: 'payouts',
  title: 'ETB per day: payouts',
  description: sentence(
    'From {1} to {2}. The table on this page has the figures.',
    days[0]?.day ?? '',
    days.at(-1)?.day ?? '',
  ),
  bars: days.map(({ day, payouts: count, paid }) => ({
    label: day,
    amount: paid,
    words: `${day}: ${count}, ETB ${amount(paid)}`,
  })),
})}</section>
<section class="card compact"><h2>Figures</h2>
${table(
  'Payouts per day, newest first',
  [{ ...total, day: 'All days' }, ...days.toReversed()],
  [
    { title: 'Day', value: linkedDay },
    { title: 'Payouts', value: ({ payouts: count }) => count, align: 'right' },
    { title: 'Paid, ETB', value: ({ paid }) => amount(paid), align: 'right' },
    { title: 'Fees, ETB', value: ({ serviceFees }) => amount(serviceFees), align: 'right' },
  ],
)}</section>`;
}

/** A day with payouts links to them. */
const linkedDay = ({ day, payouts: count }: DayOfPayouts): Html =>
  count === 0 || !day.startsWith('2')
    ? phrase(day)
    : html`<a href="${PORTAL_PATH}/redemptions?paid=${day}">${day}</a>`;

const totalOf = (days: readonly DayOfPayouts[]): Omit<DayOfPayouts, 'day'> => {
  const sum = (value: (day: DayOfPayouts) => string) =>
    formatMoney(days.reduce((total, day) => total + parseMoney(value(day)), 0n));
  return {
    payouts: days.reduce((total, day) => total + day.payouts, 0),
    paid: sum(({ paid }) => paid),
    serviceFees: sum(({ serviceFees }) => serviceFees),
  };
};
