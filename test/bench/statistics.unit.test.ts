import { expect, test } from 'vitest';
import { quantile } from '../../bench/statistics.js';

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
