import type { Database } from '../connection.js';

/** A count of rows and the version of the reference data that it is true of. */
export interface CachedCount {
  readonly version: number;
  readonly totalItems: number;
}

/** What has begun or ended since, such as a promo, is counted so much later at most. */
const MAXIMUM_AGE_MS = 1_000;
const MAXIMUM_COUNTS = 1_000;

interface Entry extends CachedCount {
  countedAt: number;
}

const counts = new WeakMap<Database, Map<string, Entry>>();

/** The counts of a database, the oldest first. */
function countsOf(database: Database): Map<string, Entry> {
  const known = counts.get(database) ?? new Map<string, Entry>();
  counts.set(database, known);
  return known;
}

/**
 * The count under a key, or undefined where it is to be counted now: where there is none, and where
 * one that `ages` has become old. Of those that ask for that at the same time only the first is told
 * so: one counting serves all.
 */
export function readCachedCount(
  database: Database,
  key: string,
  ages: boolean,
): CachedCount | undefined {
  const entry = countsOf(database).get(key);
  if (!entry || !ages) return entry;
  const now = performance.now();
  if (now - entry.countedAt < MAXIMUM_AGE_MS) return entry;
  entry.countedAt = now;
  return undefined;
}

/** Remembers a count; of too many the oldest is forgotten. */
export function cacheCount(database: Database, key: string, count: CachedCount): void {
  const known = countsOf(database);
  known.delete(key);
  known.set(key, { ...count, countedAt: performance.now() });
  const [oldest] = known.keys();
  if (known.size > MAXIMUM_COUNTS && oldest !== undefined) known.delete(oldest);
}
