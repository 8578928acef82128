import type { Metrics } from './metrics.ts';

/** Shows by how many seconds the clock of this process is ahead of that of the database. */
export const showClock =
  (metrics: Metrics) =>
  (aheadSeconds: number): void =>
    metrics.set('clock_offset_seconds', {}, aheadSeconds);
