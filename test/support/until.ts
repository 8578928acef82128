import { vi } from 'vitest';

/**
 * Waits until a condition no longer throws, with patience for a machine that has much else to do;
 * returns what it came to.
 */
export const until = <Result>(condition: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(condition, { timeout: 60_000, interval: 50 });
