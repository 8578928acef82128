import { type Database, isDatabaseUnavailable } from '../connection.js';
import { lookAtFence } from './fence.js';

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

/** A slower answer says too little about when the database read its clock. */
const CLOCK_LIMIT_MS = 1_000;

/**
 * Looks for the fence before the process serves anything, and then at an interval. The fence is
 * written before processes start, so that a process which has started without one has no reason to
 * ask with every request. A process that lives through a restore loses its connections, and is
 * fenced until it has looked again.
 *
 * @param noteClock told with each look by how many seconds the clock of this process is ahead of that
 *   of the database, to half the time of the round trip
 */
export async function watchFence(
  database: Database,
  intervalMs: number,
  noteClock: (aheadSeconds: number) => void,
): Promise<FenceWatch> {
  let isFenced = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    let pauseMs = intervalMs;
    try {
      const startedAt = performance.now();
      const found = await lookAtFence(database);
      const tookMs = performance.now() - startedAt;
      isFenced = found.isFenced;
      if (tookMs < CLOCK_LIMIT_MS)
        noteClock((Date.now() - tookMs / 2 - found.now.getTime()) / 1_000);
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
