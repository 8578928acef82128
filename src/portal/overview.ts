import { salesPerDay } from '../db/ledger/sales.ts';
import { type FailureCount, paymentFailures, topupFailures } from '../db/overview/failures.ts';
import { paymentsUnderway, topupsUnderway, type Underway } from '../db/overview/underway.ts';
import { payoutsPerDay } from '../db/vouchers/lists/payouts-per-day.ts';
import { type Html, html, phrase } from '../rendering/html.ts';
import { locale } from './language/language.ts';
import { daysAfter, today } from './layout/days.ts';
import { money } from './layout/money.ts';
import { message } from './layout/parts.ts';
import { type AccountRequest, PORTAL_PATH } from './page.ts';
import { TOPUPS_UNDERWAY } from './pages/topups/top-ups.ts';
import { timeZone } from './time-zone.ts';
import { halves, trendCard } from './trend.ts';

/** Days of an overview: short, so that it costs little for the largest company, too. */
const DAYS = 7;

const week = () => ({ first: daysAfter(today(), 1 - DAYS), last: today(), zone: timeZone() });
const twoWeeks = () => ({ ...week(), first: daysAfter(today(), 1 - 2 * DAYS) });

/**
 * The business of the last days: its trend, what failed and why, and what is not known yet. It uses
 * the connections of lists; while they are taken the page says so.
 */
export async function businessOverview(request: AccountRequest): Promise<Html> {
  const { services, session } = request;
  const parts = await services.lists.read(session.company, (database) =>
    session.company.kind === 'partner'
      ? partnerParts(database, session.company.id)
      : merchantParts(database, session.company.id),
  );
  return (
    parts ?? message('notice', 'The figures of the last days are not available at the moment.')
  );
}

type Database = Parameters<typeof salesPerDay>[0];

async function partnerParts(database: Database, partnerId: number): Promise<Html> {
  const days = await salesPerDay(database, partnerId, twoWeeks());
  const sales = `${PORTAL_PATH}/sales`;
  const topups = await topupsUnderway(database, partnerId);
  const payments = await paymentsUnderway(database, { kind: 'partner', id: partnerId });
  const failures = await topupFailures(database, partnerId, week());
  return html`<div class="cards">${[
    trendCard({
      name: 'Vouchers sold',
      path: sales,
      ...halves(days, ({ vouchers, voucherAmount }) => ({ count: vouchers, sum: voucherAmount })),
    }),
    trendCard({
      name: 'Top-ups delivered',
      path: sales,
      ...halves(days, ({ topups: count, topupAmount }) => ({ count, sum: topupAmount })),
    }),
  ]}</div>
<div class="cards wide">${underway([
    { what: 'Top-ups', path: `${PORTAL_PATH}/top-ups?state=${TOPUPS_UNDERWAY}`, ...topups },
    {
      what: 'Payments to merchants',
      path: `${PORTAL_PATH}/vouchers?state=REDEEM_PROCESSING`,
      ...payments,
    },
  ])}${failed('Failed top-ups', failures, `${PORTAL_PATH}/top-ups?state=FAILED&from=${week().first}`)}</div>`;
}

async function merchantParts(database: Database, merchantId: number): Promise<Html> {
  const days = await payoutsPerDay(database, merchantId, twoWeeks());
  const payments = await paymentsUnderway(database, { kind: 'merchant', id: merchantId });
  const failures = await paymentFailures(database, merchantId, week());
  const path = `${PORTAL_PATH}/redemptions`;
  return html`<div class="cards">${trendCard({
    name: 'Paid to you',
    path: `${PORTAL_PATH}/payouts`,
    ...halves(days, ({ payouts, paid }) => ({ count: payouts, sum: paid })),
  })}</div>
<div class="cards wide">${underway([{ what: 'Payments to you', path: `${path}?state=HELD`, ...payments }])}${failed(
    'Payments that were refused',
    failures,
    `${path}?state=VOIDED&from=${week().first}`,
  )}</div>`;
}

const underway = (
  rows: readonly (Underway & { readonly what: string; readonly path: string })[],
): Html => html`<section class="card"><h2>Underway</h2>
${
  rows.every(({ count }) => count === 0)
    ? html`<p class="quiet">Nothing: every outcome is known.</p>`
    : html`<p>The provider has not said yet how these end. Their money is on hold.</p>
<ul>${rows
        .filter(({ count }) => count > 0)
        .map(
          ({ what, path, count, amount }) =>
            html`<li><a href="${path}">${phrase(what)}</a>: ${count.toLocaleString(locale())} for ${money(amount)}</li>`,
        )}</ul>`
}</section>`;

const failed = (title: string, failures: readonly FailureCount[], path: string): Html =>
  html`<section class="card"><h2>${phrase(title)}</h2>
${
  failures.length === 0
    ? html`<p class="quiet">None in the last 7 days.</p>`
    : html`<ul>${failures.map(
        ({ reason, count }) =>
          html`<li>${count.toLocaleString(locale())} × ${
            reason === null
              ? phrase('The provider gave no reason')
              : html`<span lang="en">${reason}</span>`
          }</li>`,
      )}</ul>
<p><a href="${path}">Show them</a></p>`
}</section>`;
