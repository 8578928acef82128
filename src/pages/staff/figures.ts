import {
  type ClaimCounts,
  claimCounts,
  type DayOfPayments,
  figuresCountedTo,
  paymentsPerDay,
  type TopMerchant,
  topMerchants,
} from '../../db/figures.ts';
import { type DayOfSales, salesPerDay } from '../../db/ledger/sales.ts';
import { type FailureCount, paymentFailures, topupFailures } from '../../db/overview.ts';
import { type Html, html } from '../../rendering/html.ts';
import {
  amountOn,
  claimsList,
  countedUpTo,
  countList,
  type DayValue,
  dayChart,
  merchantsList,
  successOf,
} from '../layout/charts.ts';
import { daysForm } from '../layout/forms.ts';
import { emptyState, readDays } from '../layout/parts.ts';
import { SUPPORT_PATH, support } from '../page.ts';

interface Figures {
  readonly sales: readonly DayOfSales[];
  readonly payments: readonly DayOfPayments[];
  readonly claims: ClaimCounts;
  readonly merchants: readonly TopMerchant[];
  readonly countedTo: Awaited<ReturnType<typeof figuresCountedTo>>;
  readonly failedTopups: readonly FailureCount[];
  readonly refusedPayments: readonly FailureCount[];
}

/** The business of all companies, as each company sees its own. */
export const showFigures = support.page({
  path: '/figures',
  needs: 'look',
  async handle({ services: { database }, query }) {
    const range = readDays(query);
    const { days } = range;
    const figures = days && {
      sales: await salesPerDay(database, 'all partners', days),
      payments: await paymentsPerDay(database, 'all merchants', days),
      claims: await claimCounts(database, 'all partners', days),
      merchants: await topMerchants(database, 'all partners', days),
      countedTo: await figuresCountedTo(database),
      failedTopups: await topupFailures(database, 'all partners', days),
      refusedPayments: await paymentFailures(database, 'all merchants', days),
    };
    return {
      kind: 'page',
      title: 'Figures',
      status: figures ? undefined : 422,
      content: html`<h1>Figures of all companies</h1>
<section class="card">${daysForm(`${SUPPORT_PATH}/figures`, range)}</section>
${figures && html`<div class="cards wide">${charts(figures)}${lists(figures)}</div>`}`,
    };
  },
});

const card = (heading: string, content: Html): Html =>
  html`<section class="card"><h2>${heading}</h2>${content}</section>`;

const amounts = <Day extends { readonly day: string }>(
  days: readonly Day[],
  amountOf: (day: Day) => string,
): DayValue[] => days.map((day) => amountOn(day.day, amountOf(day)));

const rates = <Day extends { readonly day: string }>(
  days: readonly Day[],
  countsOf: (day: Day) => readonly [done: number, failed: number],
): DayValue[] => days.map((day) => successOf(day.day, ...countsOf(day)));

const charts = ({ sales, payments }: Figures): Html[] =>
  Object.entries({
    'Vouchers generated': {
      id: 'vouchers',
      title: 'ETB per day: vouchers',
      unit: 'ETB',
      days: amounts(sales, ({ voucherAmount }) => voucherAmount),
    },
    'Top-ups delivered': {
      id: 'top-ups',
      title: 'ETB per day: top-ups',
      unit: 'ETB',
      days: amounts(sales, ({ topupAmount }) => topupAmount),
    },
    'Payments to merchants': {
      id: 'payments',
      title: 'ETB per day: payments at the first answer',
      unit: 'ETB',
      days: amounts(payments, ({ amount }) => amount),
    },
    'Success rate of top-ups': {
      id: 'topup-success',
      title: '% of the attempts of a day that were delivered',
      unit: '%',
      days: rates(sales, (one) => [one.deliveredAtOnce, one.failedAtOnce]),
    },
    'Success rate of payments': {
      id: 'payment-success',
      title: '% of the payments of a day that were made',
      unit: '%',
      days: rates(payments, ({ paid, refused }) => [paid, refused]),
    },
  } as const).map(([heading, chart]) => card(heading, dayChart(chart)));

const lists = (figures: Figures): Html[] => [
  card(
    'From the claim to the payment',
    html`${countedUpTo(figures.countedTo.claims)}${claimsList(figures.claims)}`,
  ),
  card(
    'Merchants that were paid most',
    html`${countedUpTo(figures.countedTo.payments)}${merchantsList(figures.merchants)}`,
  ),
  card('Failed top-ups by reason', reasons(figures.failedTopups)),
  card('Refused payments by reason', reasons(figures.refusedPayments)),
];

const reasons = (failures: readonly FailureCount[]): Html =>
  failures.length === 0
    ? emptyState('None', 'No failure is known of these days.')
    : countList(
        failures.map(({ reason, count }) => ({ what: reason ?? 'No reason given', count })),
      );
