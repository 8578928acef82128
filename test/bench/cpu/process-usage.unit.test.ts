import { expect, test } from 'vitest';
import { createCpuMeter } from '../../../bench/cpu/process-usage.ts';

test('a meter tells milliseconds a call by part, and forgets the warm-up', () => {
  const readings = [
    { PostgreSQL: 10 },
    { PostgreSQL: 900 },
    { PostgreSQL: 1_000, worker: 5 },
    { PostgreSQL: 1_040, worker: 25 },
    { PostgreSQL: 2_000, worker: 25 },
    { PostgreSQL: 2_060, worker: 25 },
  ];
  const meter = createCpuMeter({ readCpu: () => readings.shift() ?? {} });
  meter.start();
  meter.stop(1);
  meter.reset();
  meter.start();
  meter.stop(4);
  meter.start();
  meter.stop(6);
  expect(meter.read()).toEqual({ PostgreSQL: 10, worker: 2 });
});
