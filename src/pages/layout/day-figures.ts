import type { DayOfPayments } from '../../db/figures.ts';
import type { DayOfSales } from '../../db/ledger/sales.ts';
import type { DayOfPayouts } from '../../db/lists/redemptions.ts';
import { amountText, formatMoney, sumOf } from '../../domain/money.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { dayChart } from './charts.ts';

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
