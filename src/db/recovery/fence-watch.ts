import { type Database, isDatabaseUnavailable } from '../connection.js';
import { standingFence } from './fence.js';

/** Knows whether the fence of a restore stands, without a round trip for those who ask. */
export interface FenceWatch {
  /** True also while the database has gone: it may come back restored. */
  isFenced(): boolean;
  stop(): void;
}

/** All connections of the pool are in use: this says nothing about the database. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && /timeout exceeded/i.test(error.message);

/** Time between two looks while the database has gone. */
const RETRY_MS = 100;

/**
 * Looks for the fence before the process serves anything, and then at an interval. The fence is
 * written before processes start, so that a process which has started without one has no reason to
 * ask with every request. A process that lives through a restore loses its connections, and is
 * fenced until it has looked again.
 */
export async function watchFence(database: Database, intervalMs: number): Promise<FenceWatch> {
  let isFenced = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    let pauseMs = intervalMs;
    try {
      isFenced = (await standingFence(database)) !== undefined;
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isBusy(error)) {
        isFenced = true;
        pauseMs = Math.min(RETRY_MS, intervalMs);
      }
    }
    if (isStopped) return;
    timer = setTimeout(() => void look(), pauseMs);
    timer.unref();
  }

  await look();
  return {
    isFenced: () => isFenced,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
