import {
  type BalanceAt,
  balancesOver,
  type ClaimCounts,
  claimCounts,
  figuresCountedTo,
  paymentsPerDay,
  type TopMerchant,
  topMerchants,
} from '../../db/figures.ts';
import { type Wallet, wallets } from '../../db/ledger/account-statements.ts';
import { salesPerDay } from '../../db/ledger/sales.ts';
import { payoutsPerDay } from '../../db/lists/redemptions.ts';
import {
  type FailureCount,
  paymentFailures,
  paymentsUnderway,
  topupFailures,
  topupsUnderway,
  type Underway,
} from '../../db/overview.ts';
import { mayUse } from '../../domain/access.ts';
import { daysAfter } from '../../domain/local-time.ts';
import { amountText, parseMoney } from '../../domain/money.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { countText } from '../language/language.ts';
import { timeZone } from '../language/time-zone.ts';
import {
  amountChart,
  type Business,
  claimsList,
  countedUpTo,
  countList,
  lineChart,
  merchantPayouts,
  merchantsList,
  paymentSuccess,
  type SuccessRate,
  successCard,
  topupSales,
  topupSuccess,
  totalOf,
  voucherSales,
} from '../layout/charts.ts';
import { message, money, today } from '../layout/parts.ts';
import { type AccountRequest, PORTAL_PATH, portal } from '../page.ts';
import { balanceCards } from './balances.ts';
import { gettingStarted } from './getting-started.ts';
import { termsCard } from './terms.ts';
import { TOPUPS_UNDERWAY } from './top-ups.ts';

/** A card that compares the last days with as many before; `path` is the page with the figures. */
function trendCard<Day extends { readonly day: string }>(
  name: string,
  path: string,
  business: Business<Day>,
  days: readonly Day[],
): Html {
  const before = totalOf(business, days.slice(0, -DAYS));
  const now = totalOf(business, days.slice(-DAYS));
  return html`<section class="card figure"><h2>${phrase(name)}</h2>
<p class="amount">${money(now.sum)}</p>
<p class="quiet">${countText(now.count)} in the last 7 days, ${changeOf(now.sum, before.sum)}</p>
${parseMoney(now.sum) + parseMoney(before.sum) > 0n && amountChart(business, days)}
<p><a href="${path}">Figures<span class="visually-hidden"> (${phrase(name)})</span></a></p></section>`;
}

/** How much more or less it is, in words. */
function changeOf(now: string, before: string): Html {
  const [later, earlier] = [parseMoney(now), parseMoney(before)];
  if (earlier === 0n)
    return phrase(later === 0n ? 'as in the 7 days before' : 'nothing in the 7 days before');
  const percent = Number(((later - earlier) * 1_000n) / earlier) / 10;
  const rounded =
    Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.round(Math.abs(percent));
  if (percent === 0) return phrase('as in the 7 days before');
  return percent > 0
    ? html`${rounded} % more than in the 7 days before`
    : html`${rounded} % less than in the 7 days before`;
}

/** The success rate; nothing where none ended. */
const rateCard = <Day extends { readonly day: string }>(
  rate: SuccessRate<Day>,
  days: readonly Day[],
): Html | false =>
  days.map(rate.on).some(({ done, failed: not }) => done + not > 0) && successCard(rate, days);

const claimsCard = (counts: ClaimCounts, countedTo: Date | null): Html | false =>
  counts.claims > 0 &&
  html`<section class="card"><h2>From the claim to the payment</h2>
<p class="quiet">Your vouchers with an owner, in the last 14 days.</p>
${countedUpTo(countedTo)}
${claimsList(counts)}</section>`;

const merchantsCard = (merchants: readonly TopMerchant[], countedTo: Date | null): Html | false =>
  merchants.length > 0 &&
  html`<section class="card"><h2>Merchants that were paid most</h2>
<p class="quiet">Out of your vouchers, in the last 14 days.</p>
${countedUpTo(countedTo)}
${merchantsList(merchants)}</section>`;

/** The balances of the wallets as lines; a wallet that had nothing has none. */
const balanceChartCards = (balances: readonly BalanceAt[]): readonly Html[] =>
  (Object.keys(balanceCharts) as Wallet[]).flatMap((wallet) => {
    const points = balances.filter((one) => one.wallet === wallet);
    if (points.every(({ balance }) => parseMoney(balance) === 0n)) return [];
    return html`<section class="card"><h2>${phrase(balanceCharts[wallet])}</h2>
${lineChart({
  id: `balance-${wallet}`,
  title: balanceCharts[wallet],
  unit: 'ETB',
  first: twoWeeks().first,
  last: twoWeeks().last,
  points: points.map(({ at, balance }) => ({
    at,
    value: Number(balance),
    words: amountText(balance),
  })),
})}</section>`;
  });

const balanceCharts: Readonly<Record<Wallet, string>> = {
  airtime: 'Airtime wallet, last 14 days',
  gift: 'Gift wallet, last 14 days',
  reserved: 'Unused vouchers, last 14 days',
};

/** Days of an overview: short, so that it costs little for the largest company, too. */
const DAYS = 7;

const week = () => ({ first: daysAfter(today(), 1 - DAYS), last: today(), zone: timeZone() });
const twoWeeks = () => ({ ...week(), first: daysAfter(today(), 1 - 2 * DAYS) });

/**
 * The business of the last days: its trend, what failed and why, and what is not known yet. It uses
 * the connections of lists; while they are taken the page says so.
 */
async function businessOverview(request: AccountRequest): Promise<Html> {
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
  const balances = await balancesOver(database, partnerId, wallets, twoWeeks());
  const merchants = await topMerchants(database, partnerId, twoWeeks());
  const countedTo = await figuresCountedTo(database);
  return html`<div class="cards wide">${[
    trendCard('Vouchers sold', sales, voucherSales, days),
    trendCard('Top-ups delivered', sales, topupSales, days),
    ...balanceChartCards(balances),
  ]}
${rateCard(topupSuccess, days)}
${claimsCard(await claimCounts(database, partnerId, twoWeeks()), countedTo.claims)}
${merchantsCard(merchants, countedTo.payments)}</div>
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
  const ended = await paymentsPerDay(database, merchantId, twoWeeks());
  const payments = await paymentsUnderway(database, { kind: 'merchant', id: merchantId });
  const failures = await paymentFailures(database, merchantId, week());
  const path = `${PORTAL_PATH}/redemptions`;
  return html`<div class="cards wide">${trendCard('Paid to you', `${PORTAL_PATH}/payouts`, merchantPayouts, days)}
${rateCard(paymentSuccess, ended)}</div>
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
            html`<li><a href="${path}">${phrase(what)}</a>: ${countText(count)} for ${money(amount)}</li>`,
        )}</ul>`
}</section>`;

const failed = (title: string, failures: readonly FailureCount[], path: string): Html =>
  html`<section class="card"><h2>${phrase(title)}</h2>
${
  failures.length === 0
    ? html`<p class="quiet">None in the last 7 days.</p>`
    : html`${countList(
        failures.map(({ reason, count }) => ({
          what:
            reason === null
              ? phrase('The provider gave no reason')
              : html`<span lang="en">${reason}</span>`,
          count,
        })),
      )}
<p><a href="${path}">Show them</a></p>`
}</section>`;

/** The first page: the most important facts of the company. */
export const showOverview = portal.page({
  path: '',
  title: 'Overview',
  needs: 'read',
  async handle(request) {
    const { session } = request;
    return html`<h1>${session.companyName}</h1>
<p class="quiet">Signed in as ${session.email}.</p>
${mayUse(session.role, 'develop') && (await gettingStarted(request))}
${session.company.kind === 'partner' && (await balanceCards(request))}
${await businessOverview(request)}
${session.company.kind === 'merchant' && (await termsCard(request))}`;
  },
});
