import type { Logger } from 'pino';
import { describeError } from '../../process/logger.ts';

export interface Repetition {
  /** Stops the repetition; waits for the current run. */
  stop(): Promise<void>;
}

/** Does work again and again, and logs only the first of consecutive failures: an outage may last for hours. */
export function logsFirstFailure(
  logger: Pick<Logger, 'warn'>,
  failure: string,
): (work: () => Promise<unknown>) => Promise<void> {
  let hasFailed = false;
  return async (work) => {
    try {
      await work();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) logger.warn(describeError(error), failure);
      hasFailed = true;
    }
  };
}

/** The circumstances of work in the background. */
export interface Background {
  /** Behind the fence of a restored database no run begins. */
  readonly isFenced: () => boolean;
  readonly intervalMs: number;
  readonly logger: Logger;
}

/**
 * Repeats work with a pause after each run. Of consecutive failures only the first is logged, with
 * this message; the work is retried after the pause.
 */
export function repeat(
  options: Omit<Background, 'isFenced'> &
    Partial<Background> & {
      readonly work: () => Promise<unknown>;
      /** Pauses before the first run, too. */
      readonly pausesFirst?: boolean;
      readonly failure: string;
    },
): Repetition {
  const { work, isFenced = () => false, intervalMs, logger } = options;
  const attempt = logsFirstFailure(logger, options.failure);
  let isStopped = false;
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
      if (!isFenced()) await attempt(work);
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
