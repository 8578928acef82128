import type { ClaimCounts, DayOfPayments, TopMerchant } from '../../db/figures.ts';
import type { DayOfSales } from '../../db/ledger/sales.ts';
import type { DayOfPayouts } from '../../db/lists/redemptions.ts';
import { daysAfter } from '../../domain/local-time.ts';
import { amountText, formatMoney, sumOf } from '../../domain/money.ts';
import { type Chart, drawChart, type Tick } from '../../rendering/chart.ts';
import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import { countText, locale, sentence } from '../language/language.ts';
import { beginningOf } from '../language/time-zone.ts';
import { money, numberColumn, table, textColumn, time } from './parts.ts';

/** The unit of a chart's values. */
type ChartUnit = 'ETB' | '%';

/** A value of a day; a day without one has no bar. */
interface DayValue {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly value: number | undefined;
  /** The value as the table and the tooltip have it. */
  readonly words: string;
}

/** A chart with its figures. */
interface DescribedChart {
  readonly id: string;
  readonly title: string;
  readonly unit: ChartUnit;
}

/** A value by day. Every day of a range is a day of the axis, also one on which nothing happened. */
export const dayChart = (
  chart: DescribedChart & {
    readonly days: readonly DayValue[];
    /** Whether the page has the figures in a table of its own. */
    readonly hasTable?: boolean;
  },
): Html => {
  const { days, id, title, unit } = chart;
  return html`${drawChart({
    ...axis(days.map(({ day }) => day)),
    ...described(chart, days[0]?.day ?? '', days.at(-1)?.day ?? ''),
    bars: days.flatMap(({ day, value, words }) =>
      value === undefined
        ? []
        : { ...endsOf(day), value, words: `${day}: ${unit === 'ETB' ? `ETB ${words}` : words}` },
    ),
  })}${!chart.hasTable && figures(id, title, days, ({ day }) => day, unit)}`;
};

/** A value at some times of a range of days, joined by a line. */
export const lineChart = (
  chart: DescribedChart & {
    readonly first: string;
    readonly last: string;
    readonly points: readonly {
      readonly at: Date;
      readonly value: number;
      readonly words: string;
    }[];
  },
): Html => {
  const { id, title, unit, first, last, points } = chart;
  const days: string[] = [];
  for (let day = first; day <= last; day = daysAfter(day, 1)) days.push(day);
  return html`${drawChart({
    ...axis(days),
    ...described(chart, first, last),
    line: points.map(({ at, value, words }) => ({
      at: at.getTime(),
      value,
      words: `ETB ${words}`,
    })),
  })}${figures(id, title, points, ({ at }) => time(at), unit)}`;
};

const described = (
  { id, title, unit }: DescribedChart,
  first: string,
  last: string,
): Pick<Chart, 'id' | 'title' | 'description' | 'valueText'> & { readonly top?: number } => ({
  id,
  title,
  description: sentence('From {1} to {2}. The table on this page has the figures.', first, last),
  ...(unit === '%' ? { top: 100, valueText: (value) => `${value} %` } : { valueText: inShort }),
});

/** An amount in at most a few digits: 1,500, or 1.5M. */
const inShort = (value: number): string =>
  value.toLocaleString(locale(), value < 100_000 ? {} : { notation: 'compact' });

/** The times at which a day begins and ends on the clocks of the person. */
const endsOf = (day: string): { readonly from: number; readonly to: number } => ({
  from: beginningOf(day).getTime(),
  to: beginningOf(daysAfter(day, 1)).getTime(),
});

/** Days between two labels, the least that leaves each its room. */
const STEPS = [1, 2, 7, 14, 28, 61, 92];
const LABELS = 5;

function axis(days: readonly string[]): Pick<Chart, 'span' | 'ticks'> {
  const [first = '', last = first] = [days[0], days.at(-1)];
  const step = STEPS.find((one) => days.length / one <= LABELS) ?? days.length;
  const end = days.length - 1;
  // People look for the last day, so no other label stands close to it.
  const isLabelled = (place: number) =>
    place === end || (place % step === 0 && end - place >= step);
  const ticks = days.flatMap((day, place): Tick[] =>
    isLabelled(place) ? [{ at: endsOf(day).from, label: shortDay(day) }] : [],
  );
  return { span: [endsOf(first).from, endsOf(last).to], ticks };
}

const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(locale(), {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });

/** The figures of a chart as a table, which screen readers read and other people may open. */
const figures = <Row extends { readonly words: string }>(
  id: string,
  title: string,
  rows: readonly Row[],
  whenOf: (row: Row) => HtmlValue,
  unit: ChartUnit,
): Html => html`<details id="${id}-figures"><summary>As a table<span class="visually-hidden"> (${phrase(title)})</span></summary>
${table(title, rows.toReversed(), [
  textColumn('Day', whenOf),
  numberColumn(unit, ({ words }) => words),
])}</details>`;

/** How often each of some things happened: words for everybody, and bars to compare them at a glance. */
export const countList = (
  rows: readonly { readonly what: HtmlValue; readonly count: number; readonly words?: HtmlValue }[],
): Html => {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return html`<ul class="counts">${rows.map(
    ({ what, count, words = countText(count) }) =>
      html`<li><span>${what}</span> <span>${words}</span><progress max="${most}" value="${count}" aria-hidden="true"></progress></li>`,
  )}</ul>`;
};

/** The sums that merchants were paid, the greatest first. */
export const merchantsList = (merchants: readonly TopMerchant[]): Html =>
  countList(
    merchants.map(({ merchant, paid }) => ({
      what: merchant,
      count: Number(paid),
      words: money(paid),
    })),
  );

/** Up to when figures are counted: nothing is said of what is later. */
export const countedUpTo = (to: Date | null): Html =>
  html`<p class="quiet">${to === null ? phrase('Nothing is counted yet.') : html`Counted up to ${time(to)}.`}</p>`;

/** What became of claims, each step with its bar. */
export const claimsList = ({ claims, codes, payments }: ClaimCounts): Html =>
  countList([
    { what: phrase('Claimed'), count: claims },
    { what: phrase('Right code given'), count: codes },
    { what: phrase('Paid to the merchant'), count: payments },
  ]);

/** Any day: YYYY-MM-DD. */
interface Dated {
  readonly day: string;
}

/** How often something happened on a day, and for how much; a decimal string of ETB. */
interface Happened {
  readonly count: number;
  readonly sum: string;
}

/** Something that happens day by day, as its charts name it. */
export interface Business<Day> {
  readonly id: string;
  readonly title: string;
  on(day: Day): Happened;
}

export const voucherSales: Business<DayOfSales> = {
  id: 'vouchers',
  title: 'ETB per day: vouchers',
  on: ({ vouchers, voucherAmount }) => ({ count: vouchers, sum: voucherAmount }),
};

export const topupSales: Business<DayOfSales> = {
  id: 'top-ups',
  title: 'ETB per day: top-ups',
  on: ({ topups, topupAmount }) => ({ count: topups, sum: topupAmount }),
};

export const merchantPayouts: Business<DayOfPayouts> = {
  id: 'payouts',
  title: 'ETB per day: payouts',
  on: ({ payouts, paid }) => ({ count: payouts, sum: paid }),
};

export const payments: Business<DayOfPayments> = {
  id: 'payments',
  title: 'ETB per day: payments at the first answer',
  on: ({ paid, amount }) => ({ count: paid, sum: amount }),
};

/** All days together. */
export function totalOf<Day>({ on }: Business<Day>, days: readonly Day[]): Happened {
  const each = days.map(on);
  return {
    count: each.reduce((total, { count }) => total + count, 0),
    sum: formatMoney(sumOf(each.map(({ sum }) => sum))),
  };
}

/** The amounts by day; `hasTable` where the page has them in a table of its own. */
export const amountChart = <Day extends Dated>(
  { id, title, on }: Business<Day>,
  days: readonly Day[],
  hasTable = false,
): Html =>
  dayChart({
    id,
    title,
    unit: 'ETB',
    hasTable,
    days: days.map((one) => {
      const { sum } = on(one);
      return { day: one.day, value: Number(sum), words: amountText(sum) };
    }),
  });

/** How many of those that ended on a day were successes. */
export interface SuccessRate<Day> {
  readonly id: string;
  readonly heading: string;
  readonly title: string;
  on(day: Day): { readonly done: number; readonly failed: number };
}

export const topupSuccess: SuccessRate<DayOfSales> = {
  id: 'topup-success',
  heading: 'Success rate of top-ups',
  title: '% of the attempts of a day that were delivered',
  on: ({ deliveredAtOnce, failedAtOnce }) => ({ done: deliveredAtOnce, failed: failedAtOnce }),
};

export const paymentSuccess: SuccessRate<DayOfPayments> = {
  id: 'payment-success',
  heading: 'Success rate of payments',
  title: '% of the payments of a day that were made',
  on: ({ paid, refused }) => ({ done: paid, failed: refused }),
};

/** The rate by day; a day on which none ended has no bar. */
export const successCard = <Day extends Dated>(
  { id, heading, title, on }: SuccessRate<Day>,
  days: readonly Day[],
): Html =>
  titledCard(
    phrase(heading),
    dayChart({
      id,
      title,
      unit: '%',
      days: days.map((one) => {
        const { day } = one;
        const { done, failed } = on(one);
        const ended = done + failed;
        if (ended === 0) return { day, value: undefined, words: '–' };
        const value = (100 * done) / ended;
        return { day, value, words: `${value.toFixed(1)} % (${done}/${ended})` };
      }),
    }),
  );

export const titledCard = (heading: Html, content: Html): Html =>
  html`<section class="card"><h2>${heading}</h2>
${content}</section>`;
