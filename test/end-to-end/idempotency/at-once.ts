import { setTimeout as pause } from 'node:timers/promises';

/** Wide enough that each may be first, narrow enough that they meet. */
const SPREAD_MS = 8;

/**
 * Starts all at the same moment, give or take some milliseconds that differ from round to round, so
 * that other ones come first each time. The results in the order of the actions.
 */
export const atOnce = <Result>(
  round: number,
  actions: readonly (() => Promise<Result>)[],
): Promise<Result[]> =>
  Promise.all(
    actions.map(async (action, index) => {
      await pause((index * 7919 + round * 104_729 + index * round) % SPREAD_MS);
      return action();
    }),
  );
