import { expect, test } from 'vitest';
import { daysAfter } from '../../../src/domain/local-time.ts';
import { inTimeZone } from '../../../src/pages/language/time-zone.ts';
import { dayChart, successCard } from '../../../src/pages/layout/charts.ts';

const daysFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, place) => daysAfter(first, place));

const chartOf = (days: readonly string[], zone = 'UTC') =>
  inTimeZone(zone, () =>
    dayChart({
      id: 'sales',
      title: 'Sales',
      unit: 'ETB',
      days: days.map((day, place) => ({ day, value: place, words: `${place}.00` })),
    }).toString(),
  );

test('every day of a range is a bar of the chart and a row of the table, newest first', () => {
  const html = chartOf(daysFrom('2026-02-26', 5));
  expect([...html.matchAll(/<title>(\S+): ETB/g)].map(([, day]) => day)).toEqual(
    daysFrom('2026-02-26', 5),
  );
  const rows = [...html.matchAll(/<td[^>]*data-label="Day"[^>]*><div>([^<]+)</g)].map(
    ([, day]) => day,
  );
  expect(rows).toEqual(daysFrom('2026-02-26', 5).reverse());
});

test.each([1, 2, 7, 14, 30, 90, 366])(
  '%i days have at most five labels, the first and the last day among them',
  (count) => {
    const labels = [
      ...chartOf(daysFrom('2026-01-01', count)).matchAll(/>(\w{3} \d+|\d+ \w{3})<\/text>/g),
    ].map(([, label]) => label);
    expect(labels.length).toBeLessThanOrEqual(5);
    const nameOf = (day = '') =>
      new Date(day).toLocaleDateString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const days = daysFrom('2026-01-01', count);
    expect([labels[0], labels.at(-1)]).toEqual([nameOf(days[0]), nameOf(days.at(-1))]);
  },
);

test('a day is as long as on the clocks of the reader', () => {
  // Berlin has 23 hours on this day.
  const html = chartOf(['2026-03-28', '2026-03-29', '2026-03-30'], 'Europe/Berlin');
  const [before = 0, short = 0, after = 0] = [...html.matchAll(/width="([\d.]+)" height/g)].map(
    ([, width]) => Number(width),
  );
  expect(short).toBeLessThan(before);
  expect(after).toBeCloseTo(before, 1);
});

test.each([
  [3, 1, '75.0 % (3/4)'],
  [0, 2, '0.0 % (0/2)'],
  [0, 0, '–'],
])('of %i done and %i failed the rate is %s', (done, failed, words) => {
  const rate = { id: 'rate', heading: 'Rate', title: 'Rate', on: () => ({ done, failed }) };
  const html = inTimeZone('UTC', () => successCard(rate, [{ day: '2026-01-01' }]).toString());
  expect(html).toContain(`>${words}<`);
  expect(html.includes('2026-01-01: ')).toBe(done + failed > 0);
});
