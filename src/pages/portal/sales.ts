import type { Database } from '../../db/connection.ts';
import type { Days } from '../../db/days.ts';
import { type DayOfSales, type Margin, readMargins, salesPerDay } from '../../db/ledger/sales.ts';
import { type DayOfPayouts, payoutsPerDay, redemptionList } from '../../db/lists/redemptions.ts';
import { mayUse } from '../../domain/access.ts';
import { daysAfter } from '../../domain/local-time.ts';
import { amountText, formatMoney, plainAmount, sumOf } from '../../domain/money.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { countText } from '../language/language.ts';
import { beginningOf, fileTime, timeZone } from '../language/time-zone.ts';
import {
  amountChart,
  merchantPayouts,
  titledCard,
  topupSales,
  totalOf,
  voucherSales,
} from '../layout/charts.ts';
import { payoutColumns, salesColumns } from '../layout/company-parts.ts';
import { daysForm } from '../layout/forms.ts';
import { redemptionStates, reversalLabels, stateOptions } from '../layout/labels.ts';
import { listAddress } from '../layout/paging.ts';
import {
  badge,
  daySchema,
  emptyState,
  money,
  numberColumn,
  readDays,
  stateWord,
  table,
  textColumn,
  withoutEmptyEnds,
} from '../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal } from '../page.ts';
import {
  csvFile,
  type FileColumns,
  listedAmount,
  listedTime,
  listFilters,
  listPages,
} from './lists.ts';
import { termsCard } from './terms.ts';

/** The page of sales or payouts by day, and their file, which begins with the oldest day. */
function dayPages<Day extends { readonly day: string }>(declared: {
  readonly path: '/sales' | '/payouts';
  readonly kind: CompanyKind;
  readonly title: string;
  readonly intro: Html;
  readonly read: (database: Database, companyId: number, days: Days) => Promise<readonly Day[]>;
  /** The file's columns after that of the day. */
  readonly file: FileColumns<Day>;
  readonly show: (
    found: readonly Day[],
    database: Database,
    companyId: number,
    days: Days,
  ) => Html | Promise<Html>;
  /** Stands below the days. */
  readonly below?: (request: AccountRequest) => Promise<Html>;
}) {
  const { path, kind, title, read } = declared;
  const address = `${PORTAL_PATH}${path}`;
  const page = portal.page({
    path,
    needs: 'read',
    kind,
    async handle(request) {
      const { services, session, query } = request;
      const range = readDays(query);
      const { days } = range;
      const { id } = session.company;
      const shown =
        days &&
        (await services.lists.read(session.company, async (database) =>
          declared.show(await read(database, id, days), database, id, days),
        ));
      if (days && !shown) return problems.busy;
      const download = listAddress(`${address}/download`, range.values);
      return {
        kind: 'page',
        title,
        status: shown ? undefined : 422,
        content: html`${declared.intro}
<section class="card">${daysForm(address, range)}
${shown && mayUse(session.role, 'export') && html`<p><a href="${download}">Download as CSV</a></p>`}</section>
${shown}
${declared.below && (await declared.below(request))}`,
      };
    },
  });
  const file = portal.page({
    path: `${path}/download`,
    needs: 'export',
    kind,
    async handle({ services, session, query }): Promise<PageAnswer> {
      const { days } = readDays(query);
      if (days === undefined) return problems.invalid;
      const found = await services.lists.read(session.company, (database) =>
        read(database, session.company.id, days),
      );
      if (!found) return problems.busy;
      return csvFile(`${path.slice(1)}-${days.first}-${days.last}`, found, {
        [`Day (${timeZone()})`]: ({ day }) => day,
        ...declared.file,
      });
    },
  });
  return [page, file] as const;
}

/** A partner's sales per day: generated vouchers and delivered top-ups. */
export const salesByDay = dayPages<DayOfSales>({
  path: '/sales',
  kind: 'partner',
  title: 'Sales',
  intro: html`<h1>Sales per day</h1>
<p>Vouchers count when they are generated, top-ups when they are delivered, also late.</p>`,
  read: salesPerDay,
  file: {
    Vouchers: 'vouchers',
    'Vouchers (ETB)': ({ voucherAmount }) => plainAmount(voucherAmount),
    'Top-ups': 'topups',
    'Top-ups (ETB)': ({ topupAmount }) => plainAmount(topupAmount),
  },
  show: async (found, database, partnerId, days) =>
    sales(found, await readMargins(database, partnerId, days)),
});

function sales(all: readonly DayOfSales[], margins: readonly Margin[]): Html {
  const days = withoutEmptyEnds(all, ({ vouchers, topups }) => vouchers + topups === 0);
  if (days.length === 0) return emptyState('No sales', 'Nothing was sold on these days.');
  const vouchers = totalOf(voucherSales, days);
  const topups = totalOf(topupSales, days);
  const total = {
    day: 'All days',
    vouchers: vouchers.count,
    voucherAmount: vouchers.sum,
    topups: topups.count,
    topupAmount: topups.sum,
  };
  return html`<div class="cards wide">
${
  vouchers.count > 0 &&
  titledCard(
    html`Vouchers: ${countText(vouchers.count)} for ${money(vouchers.sum)}`,
    amountChart(voucherSales, all, true),
  )
}
${
  topups.count > 0 &&
  titledCard(
    html`Top-ups: ${countText(topups.count)} for ${money(topups.sum)}`,
    amountChart(topupSales, all, true),
  )
}
</div>
${marginCard(margins)}
<section class="card compact"><h2>Figures</h2>
${table(
  'Sales per day, newest first',
  [total, ...days.toReversed()],
  [textColumn('Day', ({ day }) => phrase(day)), ...salesColumns],
)}</section>`;
}

const marginNames = { vouchers: 'Vouchers', topups: 'Top-ups' } as const;

/** The earnings in USD and ETB: only of sales that named their price and exchange rate. */
const marginCard = (margins: readonly Margin[]): Html | false =>
  margins.some(({ counted }) => counted > 0) &&
  html`<section class="card"><h2>Margin</h2>
<p>Your selling price less the cost in ETB, at the exchange rate that your server named with each sale.</p>
${table('Margin', margins, [
  textColumn('What', ({ kind }) => phrase(marginNames[kind])),
  numberColumn(
    'Counted',
    ({ counted, sales: all }) => html`${countText(counted)} of ${countText(all)}`,
  ),
  numberColumn('Sold, USD', ({ soldUsd }) => amountText(soldUsd)),
  numberColumn('Cost, USD', ({ costUsd }) => amountText(costUsd)),
  numberColumn('Margin, USD', ({ marginUsd }) => amountText(marginUsd)),
  numberColumn('Margin, ETB', ({ marginEtb }) => amountText(marginEtb)),
])}</section>`;

/** A merchant's payouts per day. */
export const payoutsByDay = dayPages<DayOfPayouts>({
  path: '/payouts',
  kind: 'merchant',
  title: 'Payouts',
  intro: html`<h1>Payouts per day</h1>
<p>Payments to you through mobile money, by the day of the provider’s confirmation, without those that
were reversed.</p>`,
  read: payoutsPerDay,
  file: {
    Payouts: 'payouts',
    'Paid (ETB)': ({ paid }) => plainAmount(paid),
    'Service fees (ETB)': ({ serviceFees }) => plainAmount(serviceFees),
  },
  show: payouts,
  below: termsCard,
});

function payouts(all: readonly DayOfPayouts[]): Html {
  const days = withoutEmptyEnds(all, (day) => day.payouts === 0);
  if (days.length === 0) return emptyState('No payouts', 'There were no payouts on these days.');
  const { count, sum } = totalOf(merchantPayouts, days);
  const total = {
    day: 'All days',
    payouts: count,
    paid: sum,
    serviceFees: formatMoney(sumOf(days.map(({ serviceFees }) => serviceFees))),
  };
  return html`${titledCard(
    html`Payouts: ${countText(count)} for ${money(sum)}`,
    amountChart(merchantPayouts, all, true),
  )}
<section class="card compact"><h2>Figures</h2>
${table(
  'Payouts per day, newest first',
  [total, ...days.toReversed()],
  [textColumn('Day', linkedDay), ...payoutColumns],
)}</section>`;
}

/** A day with payouts links to them. */
const linkedDay = ({ day, payouts: count }: DayOfPayouts): Html =>
  count === 0 || !day.startsWith('2')
    ? phrase(day)
    : html`<a href="${PORTAL_PATH}/redemptions?paid=${day}">${day}</a>`;

/** A merchant's redemptions, newest first. */
export const redemptionPages = listPages({
  path: '/redemptions',
  kind: 'merchant',
  title: 'Redemptions',
  intro: html`<p>Vouchers that were redeemed with you, newest first: the redeemed amount, the
service fee, and the amount paid to you through mobile money.</p>`,
  list: redemptionList,
  filters: {
    state: listFilters.oneOf('State', 'state', stateOptions(redemptionStates)),
    from: listFilters.fromDay('Redeemed from', 'createdAt'),
    to: listFilters.toDay('Redeemed to'),
    paid: {
      ...listFilters.fromDay('Paid on', 'paidAt'),
      operator: 'btw',
      schema: daySchema.transform((day) => {
        const end = beginningOf(daysAfter(day, 1)).getTime() - 1;
        return `${beginningOf(day).toISOString()},${new Date(end).toISOString()}`;
      }),
    },
  },
  fields: [
    listedTime('createdAt', 'Redeemed'),
    { title: 'Paid', file: 'paidAt' },
    {
      title: 'Voucher',
      phone: 'head',
      value: ({ serialNumber }) => html`<code>${serialNumber}</code>`,
    },
    {
      title: 'State',
      phone: 'plain',
      value: ({ state, reversal }) =>
        html`${badge(...redemptionStates[state])}${
          reversal !== null &&
          reversal.status !== 'SUCCESS' &&
          html`<br>${badge(...reversalLabels[reversal.status])}`
        }`,
      file: ({ state }) => stateWord(redemptionStates[state]),
    },
    // The file has it behind the state.
    { title: 'Voucher serial number', file: 'serialNumber' },
    {
      title: 'References',
      phone: 'plain',
      value: ({ platformReferenceNumber, referenceNumber }) =>
        html`<span class="whole"><span class="quiet">Ours</span> <code>${platformReferenceNumber}</code></span>${
          referenceNumber &&
          html`<br><span class="whole"><span class="quiet">Provider’s</span>
<code>${referenceNumber}</code></span>`
        }`,
    },
    listedAmount('amount', 'Taken, ETB', 'Taken (ETB)'),
    listedAmount('serviceFee', 'Fee, ETB', 'Service fee (ETB)'),
    listedAmount('toMerchant', 'Paid to you, ETB', 'To the merchant (ETB)', 'figure etb'),
    { title: 'Our reference', file: 'platformReferenceNumber' },
    { title: 'Provider’s reference', file: 'referenceNumber' },
    {
      title: 'Reversed',
      file: ({ reversal }) =>
        reversal?.status === 'SUCCESS' && reversal.settledAt !== null
          ? fileTime(new Date(reversal.settledAt))
          : null,
    },
  ],
  nothingYet: 'Redemptions appear here as soon as a voucher is redeemed with you.',
});
