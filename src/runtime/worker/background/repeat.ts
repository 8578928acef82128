import type { Logger } from 'pino';
import { describeError } from '../../process/logger.ts';

export interface Repetition {
  /** Stops the repetition; waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Repeats work with a pause after each run. Of consecutive failures only the first is logged, with
 * this message; the work is retried after the pause.
 */
export function repeat(options: {
  readonly work: () => Promise<unknown>;
  readonly intervalMs: number;
  /** Pauses before the first run, too. */
  readonly pausesFirst?: boolean;
  readonly logger: Logger;
  readonly failure: string;
}): Repetition {
  const { work, intervalMs, logger } = options;
  let isStopped = false;
  let hasFailed = false;
  let wake = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, intervalMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = (async () => {
    if (options.pausesFirst) await pause();
    while (!isStopped) {
      try {
        await work();
        hasFailed = false;
      } catch (error) {
        // Logged once, not every few seconds during an outage.
        if (!hasFailed) logger.warn(describeError(error), options.failure);
        hasFailed = true;
      }
      if (!isStopped) await pause();
    }
  })();

  return {
    async stop() {
      isStopped = true;
      wake();
      await run;
    },
  };
}
