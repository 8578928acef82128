import { expect, test } from 'vitest';
import { startCpuMeter, totalOf } from '../../../bench/cpu/process-usage.ts';

test('a meter tells milliseconds a call by part', () => {
  const readings = [{ PostgreSQL: 900 }, { PostgreSQL: 1_000, worker: 20 }];
  const costOfCall = startCpuMeter(() => readings.shift() ?? {});
  const cost = costOfCall(10);
  expect(cost).toEqual({ PostgreSQL: 10, worker: 2 });
  expect(totalOf(cost)).toBe(12);
});
