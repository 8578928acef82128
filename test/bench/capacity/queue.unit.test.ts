import { expect, test } from 'vitest';
import { fitQueue, predictMs } from '../../../bench/capacity/queue.ts';

const oneCore = { highestRate: 10, cores: 1, waitMs: 0, workMs: 100 };

test.each([
  [0, 100],
  [5, 200],
  [9, 1_000],
])('on one core, at %d of 10 a second, work of 100 ms takes %d ms', (rate, expected) => {
  expect(predictMs(oneCore, rate)).toBeCloseTo(expected);
});

test('two cores are shared with less waiting than one, and waiting for the disk does not grow', () => {
  const twoCores = { ...oneCore, cores: 2, waitMs: 40 };
  // Exactly 1 / (1 - 0.9²) of the work for exponential times.
  expect(predictMs(twoCores, 9) - 40).toBeGreaterThan(500);
  expect(predictMs(twoCores, 9) - 40).toBeLessThan(540);
  expect(predictMs(twoCores, 0)).toBeCloseTo(140);
});

test('a fitted model has the times that it was fitted to', () => {
  const model = { highestRate: 24, cores: 2, waitMs: 60, workMs: 35 };
  const at = (rate: number) => ({ rate, meanMs: predictMs(model, rate) });
  const fitted = fitQueue({ highestRate: 24, cores: 2 }, [at(4), at(12)]);
  expect(fitted.waitMs).toBeCloseTo(60);
  expect(fitted.workMs).toBeCloseTo(35);
});
