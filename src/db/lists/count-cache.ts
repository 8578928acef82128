import { LRUCache } from 'lru-cache';
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

const counts = new WeakMap<Database, LRUCache<string, Entry>>();

function countsOf(database: Database): LRUCache<string, Entry> {
  const known = counts.get(database) ?? new LRUCache<string, Entry>({ max: MAXIMUM_COUNTS });
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

/** Remembers a count. */
export function cacheCount(database: Database, key: string, count: CachedCount): void {
  countsOf(database).set(key, { ...count, countedAt: performance.now() });
}
