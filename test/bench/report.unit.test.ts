import { expect, test } from 'vitest';
import type {
  CostMeasurement,
  GrowthMeasurement,
  PaceMeasurement,
  PredictionMeasurement,
  RateMeasurement,
  TimeMeasurement,
} from '../../bench/benchmark.ts';
import { json } from '../../bench/report/json.ts';
import { passes } from '../../bench/report/reading.ts';
import { table } from '../../bench/report/table.ts';

const measurement = (title: string, ratio: number, bar?: number): RateMeasurement => ({
  title,
  comparison: {
    subject: { rate: 150.04, p50: 130.2, p99: 300, completed: 1_000 },
    baseline: { rate: 100, p50: 200, p99: 410, completed: 700 },
    ratio: { median: ratio, minimum: 1.25, maximum: 1.75 },
  },
  bar,
});

/** Of 130.2 and 200 ms, or 300 and 410 ms. */
const time = (
  title: string,
  quantile: TimeMeasurement['quantile'],
  waitedMilliseconds: number,
  greatest: number,
): TimeMeasurement => ({
  title,
  comparison: measurement(title, 1).comparison,
  quantile,
  waitedMilliseconds,
  greatest,
});

/** Both waited 190 ms in each round, too. */
const inRounds = (title: string): TimeMeasurement => ({
  ...time(title, 'p99', 190, 2),
  rounds: { subject: [240, 290, 340, 290], baseline: [290, 390, 490, 390] },
});

const cost = (title: string, subject: readonly number[], greatest?: number): CostMeasurement => ({
  title,
  costs: { subject, baseline: [10, 10, 10] },
  ...(greatest === undefined ? {} : { greatest }),
});

const pace = (title: string, leastPace?: number): PaceMeasurement => ({
  title,
  paces: [1_700, 1_400, 1_500],
  leastPace,
});

const growth = (title: string, greatest?: number): GrowthMeasurement => ({
  title,
  unit: 'MB',
  quarters: { first: 400, last: 440 },
  ...(greatest === undefined ? {} : { greatest }),
});

test('a time that is shorter than what both sides wait is no time', () => {
  expect(() => passes(time('short', 'p99', 300, 2))).toThrow('less than it waits');
});

test.each([
  [measurement('above', 1.6, 1.5), true],
  [measurement('at the bar', 1.5, 1.5), true],
  [measurement('below', 1.4999, 1.5), false],
  [measurement('without a bar', 0.1), true],
  [time('a time at its bar', 'p99', 190, 0.5), true],
  [time('a time above its bar', 'p99', 190, 0.4999), false],
  [time('a time that is small beside what both wait', 'p50', 120, 0.2), true],
  [cost('a cost whose interval ends above its bar', [10.3, 10.4, 10.5], 1.05), false],
  [cost('a cost whose interval ends below its bar', [10.3, 10.3, 10.3], 1.031), true],
  [cost('a cost with one outlier', [10, 10, 14], 1.2), false],
  [cost('a cost without a bar', [20, 20, 20]), true],
  [pace('a pace at its bar', 1_500), true],
  [pace('a pace below its bar', 1_501), false],
  [pace('a pace without a bar'), true],
  [growth('a growth at its bar', 1.1), true],
  [growth('a growth above its bar', 1.0999), false],
  [growth('a growth without a bar'), true],
])('$title', (one, expected) => {
  expect(passes(one)).toBe(expected);
});

test('people read one line per measurement', () => {
  const lines = table([
    { name: 'P1', measurements: [measurement('one', 1.5, 1.5), measurement('two', 1.2)] },
    { name: 'P2', measurements: [measurement('three', 0.8, 0.9), time('four', 'p99', 190, 2)] },
    { name: 'P3', measurements: [pace('five', 1_500), pace('six'), cost('seven', [0, 2, 4])] },
    { name: 'P4', measurements: [cost('eight', [12, 12, 12]), inRounds('nine')] },
    { name: 'P5', measurements: [growth('ten', 1.2), growth('eleven')] },
  ]).split('\n');
  expect(lines).toHaveLength(12);
  expect(lines[1]).toMatch(/^P1 one +150\.0 +100\.0 .* 1\.50 \(1\.25 – 1\.75\) +≥ 1\.5 +pass$/);
  expect(lines[2]).toMatch(/^P1 two .* 1\.20 \(1\.25 – 1\.75\)$/);
  expect(lines[3]).toMatch(/^P2 three .* ≥ 0\.9 +FAIL$/);
  expect(lines[4]).toMatch(/^P2 four +110\.0 +220\.0 +0\.50 +≤ 2 +pass$/);
  expect(lines[5]).toMatch(/^P3 five +1500\.0 +≥ 1500\/s +pass$/);
  expect(lines[6]).toMatch(/^P3 six +1500\.0$/);
  expect(lines[7]).toMatch(/^P3 seven +CPU 2\.00 +CPU 10\.00 +–$/);
  expect(lines[8]).toMatch(/^P4 eight +CPU 12\.00 +CPU 10\.00 +1\.200 \(1\.200 – 1\.200\)$/);
  expect(lines[9]).toMatch(/^P4 nine +110\.0 +220\.0 +0\.50 \(0\.50 – 0\.50\) +≤ 2 +pass$/);
  expect(lines[10]).toMatch(/^P5 ten +440 MB +400 MB +1\.10 +≤ 1\.2 +pass$/);
  expect(lines[11]).toMatch(/^P5 eleven +440 MB +400 MB +1\.10$/);
});

test('programs read one line of JSON', () => {
  const text = json([
    { name: 'P1', measurements: [measurement('one', 1.5, 1.5), measurement('two', 1.2)] },
    {
      name: 'P2',
      measurements: [measurement('three', 0.8, 0.9), time('four', 'p50', 100, 0.25)],
    },
    {
      name: 'P3',
      measurements: [
        pace('five', 1_600),
        pace('six'),
        cost('seven', [12, 12, 12]),
        growth('eight', 1),
      ],
    },
  ]);
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toMatchObject({
    P1: {
      subject: 150,
      baseline: 100,
      ratio: 1.5,
      bar: 1.5,
      passed: true,
      beside: [{ title: 'two', ratio: 1.2 }],
    },
    P2: {
      ratio: 0.8,
      bar: 0.9,
      barIs: 'at least',
      passed: false,
      beside: [
        { subject: 30.2, baseline: 100, ratio: 0.302, bar: 0.25, barIs: 'at most', passed: false },
      ],
    },
    P3: {
      subject: 1_500,
      subjectMinimum: 1_400,
      subjectMaximum: 1_700,
      bar: 1_600,
      barIs: 'at least',
      passed: false,
      beside: [
        { title: 'six', subject: 1_500 },
        { title: 'seven', subject: 12, baseline: 10, ratio: 1.2 },
        { title: 'eight', subject: 440, baseline: 400, ratio: 1.1, bar: 1, passed: false },
      ],
    },
  });
});

test.each([
  [22.9, true],
  [23, true],
  [17.1, true],
  [23.1, false],
  [16.9, false],
])('a prediction of 20 is passed by %s within 15 %%: %s', (measured, isPassed) => {
  const prediction: PredictionMeasurement = {
    title: 'rows',
    predicted: 20,
    measured,
    tolerance: 0.1501,
  };
  expect(passes(prediction)).toBe(isPassed);
  const results = [{ name: 'P12', measurements: [prediction] as const }];
  expect(table(results)).toContain(isPassed ? 'pass' : 'FAIL');
  expect(JSON.parse(json(results)).P12).toMatchObject({ baseline: 20, passed: isPassed });
});
