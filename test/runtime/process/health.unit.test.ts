import { expect, test, vi } from 'vitest';
import { createHealth } from '../../../src/runtime/process/health.ts';
import { until } from '../../support/until.ts';

test('is down where a check fails, throws or hangs, and names each', async () => {
  const { read } = createHealth(
    {
      good: () => Promise.resolve(),
      refused: () => Promise.reject(new Error('no')),
      broken: () => {
        throw new Error('no');
      },
      hanging: () => new Promise(() => undefined),
    },
    { timeoutMs: 20 },
  );
  const { status, checks } = await read();
  expect(status).toBe('down');
  expect(Object.entries(checks).map(([name, check]) => `${name} ${check.status}`)).toEqual([
    'good up',
    'refused down',
    'broken down',
    'hanging down',
  ]);
});

test('is up where only a reported check is down, and names it', async () => {
  const { read } = createHealth(
    { good: () => undefined },
    { reported: { refused: () => Promise.reject(new Error('no')) } },
  );
  expect(await read()).toMatchObject({
    status: 'up',
    checks: { good: { status: 'up' }, refused: { status: 'down' } },
  });
});

test('many readers share a look, which does not get old', async () => {
  const check = vi.fn();
  const { read } = createHealth({ check }, { freshMs: 100 });
  await Promise.all(Array.from({ length: 50 }, read));
  expect(check).toHaveBeenCalledTimes(1);
  await until(async () => {
    await read();
    expect(check).toHaveBeenCalledTimes(2);
  });
});

test('is draining from the moment it is told so, whatever was seen before', async () => {
  const health = createHealth({ good: () => Promise.resolve() });
  expect((await health.read()).status).toBe('up');
  health.drain();
  expect(await health.read()).toEqual({ status: 'draining', checks: {} });
});
