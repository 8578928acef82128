import type { Logger } from 'pino';
import { describeError } from '../process/describe-error.js';

export interface Repetition {
  /** Ends it; waits for what is being done. */
  stop(): Promise<void>;
}

/**
 * Does some work again and again, with a pause after each time. A failure is logged with these words,
 * but only the first of several, and the work is tried again after the next pause.
 */
export function repeat(options: {
  readonly work: () => Promise<unknown>;
  readonly intervalMs: number;
  /** Pauses before the first time, too. */
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
        // Said once, and not every few seconds while a server is away.
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
