import type { DatabaseConnection } from 'kysely';
import type { Database } from '../connection.ts';
import { type FenceFacts, readFence, readFenceOn } from './fence.ts';

/** Knows whether a fence stands, without a round trip for those who ask. */
export interface FenceWatch {
  /** True also while the database has gone: it may come back restored. */
  isFenced(): boolean;
  /** Looks on a new connection before its first statement: it may lead to another server. */
  lookOn(connection: DatabaseConnection): Promise<void>;
  stop(): void;
}

export interface FenceWatchOptions {
  readonly intervalMs: number;
  /** Whether each commit is at the standby that is promoted: then a promotion loses nothing. */
  readonly isSynchronous: boolean;
  /**
   * Told with each look by how many seconds the clock of this process is ahead of that of the database,
   * to half the time of the round trip.
   */
  readonly noteClock: (aheadSeconds: number) => void;
  /** Told when the server has another timeline than the one that operators have accepted. */
  readonly noteNewTimeline: (facts: FenceFacts) => void;
}

/** Time between two looks while the database has gone. */
const RETRY_MS = 100;

/** A slower answer says too little about when the database read its clock. */
const CLOCK_LIMIT_MS = 1_000;

/**
 * Looks for the fence before the process serves anything, and then at an interval. The fence is
 * written before processes start, so that a process which has started without one has no reason to
 * ask with every request. A process that lives through a restore loses its connections, and is
 * fenced until it has looked again. A promoted standby may lack the last commits, and has a fence from
 * its first moment: its timeline is new.
 *
 * @param database has a connection for this alone, so that a busy pool delays no look
 */
export async function watchFence(
  database: Database,
  { intervalMs, isSynchronous, noteClock, noteNewTimeline }: FenceWatchOptions,
): Promise<FenceWatch> {
  let isFenced = true;
  let isStopped = false;
  let isNoted = false;
  let newest = 0;
  let timer: NodeJS.Timeout | undefined;

  function take(facts: FenceFacts): void {
    const { timeline, acceptedTimeline } = facts;
    const isNew = timeline !== null && timeline !== acceptedTimeline && !isSynchronous;
    // A server of an earlier timeline has been replaced, and its commits are lost.
    const isOld = timeline !== null && timeline < newest;
    newest = Math.max(newest, timeline ?? 0);
    isFenced = facts.isFenced || timeline === null || isNew || isOld;
    if (isNew && !isNoted) noteNewTimeline(facts);
    isNoted = isNew;
  }

  async function look(): Promise<void> {
    let pauseMs = intervalMs;
    try {
      const startedAt = performance.now();
      const facts = await readFence(database);
      const tookMs = performance.now() - startedAt;
      take(facts);
      if (tookMs < CLOCK_LIMIT_MS)
        noteClock((Date.now() - tookMs / 2 - facts.now.getTime()) / 1_000);
    } catch {
      isFenced = true;
      pauseMs = Math.min(RETRY_MS, intervalMs);
    }
    if (isStopped) return;
    timer = setTimeout(() => void look(), pauseMs);
    timer.unref();
  }

  await look();
  return {
    isFenced: () => isFenced,
    async lookOn(connection) {
      try {
        take(await readFenceOn(connection, database));
      } catch {
        isFenced = true;
      }
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
