import { expect, test } from 'vitest';
import { quantile, ratioInterval } from '../../bench/statistics.ts';

test.each([
  [[3], 0.5, 3],
  [[3], 0.99, 3],
  [[10, 2, 1], 0.5, 2],
  [[4, 1, 3, 2], 0.5, 2.5],
  [[1, 2, 3, 4, 5], 0, 1],
  [[1, 2, 3, 4, 5], 1, 5],
  [[0, 100], 0.99, 99],
])('of %j the share %d lies below %d', (values, share, expected) => {
  expect(quantile(values, share)).toBeCloseTo(expected, 10);
});

test('of nothing there is no quantile', () => {
  expect(() => quantile([], 0.5)).toThrow(RangeError);
});

test('a ratio of costs has the 95 % interval of Student', () => {
  const { mean, lower, upper } = ratioInterval([2, 8, 2, 8, 4], [1, 1, 1, 1, 1]);
  // ln 2, ln 8, ln 2, ln 8, ln 4: their mean is ln 4, their deviation 0.6931, t of 4 is 2.776.
  expect(mean).toBeCloseTo(4, 6);
  expect(upper).toBeCloseTo(4 * Math.exp((2.776 * Math.LN2) / Math.sqrt(5)), 1);
  expect(lower * upper).toBeCloseTo(16, 6);
});

test('equal costs have a ratio of 1 without an interval', () => {
  expect(ratioInterval([3, 4, 5], [3, 4, 5])).toEqual({ mean: 1, lower: 1, upper: 1 });
});
