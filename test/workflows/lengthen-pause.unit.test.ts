import { expect, test } from 'vitest';
import { lengthenPause } from '../../workflows/steps/waiting.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

test('within a week, pauses are as they were', () => {
  for (const elapsedMs of [0, HOUR_MS, WEEK_MS])
    expect(lengthenPause(HOUR_MS, elapsedMs)).toBe(HOUR_MS);
});

test.each([
  ['an hour', HOUR_MS],
  ['five minutes', HOUR_MS / 12],
])('ten years of pauses of %s keep a history below the limit of Temporal', (_, usualMs) => {
  let pauses = 0;
  for (let elapsedMs = 0; elapsedMs < 520 * WEEK_MS; pauses += 1)
    elapsedMs += lengthenPause(usualMs, elapsedMs);
  expect(pauses).toBeGreaterThan(168);
  // An attempt has at most some 30 events, a history 51,200.
  expect(pauses * 30).toBeLessThan(51_200);
});
