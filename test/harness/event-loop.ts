import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';

/**
 * Lines of a bulk order with every field, each as long as it may be: the largest body that has a use.
 */
export const longLines = (fields: object = {}): object[] =>
  Array.from({ length: 10_000 }, (_, index) => ({
    reference: `order-417/${index}`.padEnd(100, 'x'),
    denominationId: '17',
    merchantIdentifier: 'M'.repeat(100),
    msisdn: '+251 911 23 45 67',
    exchangeRate: `57.${'1'.repeat(40)}`,
    currency: 'usd',
    originatingCountry: 'United Kingdom of Great Britain and Northern Ireland',
    foreignCurrencyAmount: '1.75',
    isRestricted: true,
    ...fields,
  }));

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/** The CPU of this thread, in milliseconds, for the longest time in which it serves nobody else. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  await nextTurn();
  let before = process.threadCpuUsage();
  const end = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    longest = Math.max(longest, cpuSince(before));
    before = process.threadCpuUsage();
  }
  await end;
  return longest;
}

const TEXT = JSON.stringify({ lines: longLines() });

/**
 * What 50 ms of CPU are at this moment: a fixed piece of work, which takes 10 ms where the limit was set. The pace of
 * the machine plays no part, and it may change from one moment to the next.
 */
function fiftyMilliseconds(): number {
  const before = process.threadCpuUsage();
  JSON.parse(TEXT);
  return 5 * cpuSince(before);
}

const RUNS = 5;

/** So little CPU, in milliseconds, is allowed on any machine: not even one five times as quick does 50 ms of work in it. */
const LITTLE = 10;

/**
 * Expects that work never takes more than 50 ms of CPU before others get their turn. The first run compiles the code, and
 * any run may be the one in which garbage is collected: the best run counts.
 */
export async function expectShortStretches(
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least > 1; run += 1) {
    const longest = await longestStretch(work);
    if (longest < LITTLE) return;
    least = Math.min(least, longest / fiftyMilliseconds());
  }
  expect(least, `${what}, in times of what is allowed`).toBeLessThan(1);
}
