import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';

const PATIENCE_MS = 180_000;
const INTERVAL_MS = 50;

/**
 * Waits until a condition no longer throws, with patience for a machine that has much else to do;
 * returns what it came to.
 */
export const until = <Result>(condition: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(condition, { timeout: PATIENCE_MS, interval: INTERVAL_MS });

/**
 * Tries a condition again and again: a try that begins so many seconds from now, or later, must not throw. So a
 * machine that holds up the test for longer fails nothing.
 */
export async function within(seconds: number, condition: () => Promise<void>): Promise<void> {
  const dueAt = performance.now() + seconds * 1_000;
  for (;;) {
    const isDue = performance.now() >= dueAt;
    try {
      return await condition();
    } catch (error) {
      if (isDue) throw error;
    }
    await pause(INTERVAL_MS);
  }
}
