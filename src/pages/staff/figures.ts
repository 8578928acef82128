import type { Database } from '../../db/connection.ts';
import type { Days } from '../../db/days.ts';
import { claimCounts, figuresCountedTo, paymentsPerDay, topMerchants } from '../../db/figures.ts';
import { salesPerDay } from '../../db/ledger/sales.ts';
import { type FailureCount, paymentFailures, topupFailures } from '../../db/overview.ts';
import { type Html, html } from '../../rendering/html.ts';
import {
  amountChart,
  claimsList,
  countedUpTo,
  countList,
  merchantsList,
  paymentSuccess,
  payments,
  successCard,
  titledCard,
  topupSales,
  topupSuccess,
  voucherSales,
} from '../layout/charts.ts';
import { daysForm } from '../layout/forms.ts';
import { emptyState, readDays } from '../layout/parts.ts';
import { SUPPORT_PATH, support } from '../page.ts';

const readFigures = async (database: Database, days: Days) => ({
  sales: await salesPerDay(database, 'all', days),
  payments: await paymentsPerDay(database, 'all', days),
  claims: await claimCounts(database, 'all', days),
  merchants: await topMerchants(database, 'all', days),
  countedTo: await figuresCountedTo(database),
  failedTopups: await topupFailures(database, 'all', days),
  refusedPayments: await paymentFailures(database, 'all', days),
});

type Figures = Awaited<ReturnType<typeof readFigures>>;

/** The business of all companies, as each company sees its own. */
export const showFigures = support.page({
  path: '/figures',
  needs: 'look',
  async handle({ services: { database }, query }) {
    const range = readDays(query);
    const figures = range.days && (await readFigures(database, range.days));
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

const card = (heading: string, content: Html): Html => titledCard(html`${heading}`, content);

const charts = ({ sales, payments: paid }: Figures): Html[] => [
  card('Vouchers generated', amountChart(voucherSales, sales)),
  card('Top-ups delivered', amountChart(topupSales, sales)),
  card('Payments to merchants', amountChart(payments, paid)),
  successCard(topupSuccess, sales),
  successCard(paymentSuccess, paid),
];

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
