import { LRUCache } from 'lru-cache';
import type { Database } from '../connection.ts';

/**
 * A count of rows, and what it belongs to: a version of the reference data, or of added rows a moment,
 * as PostgreSQL writes it, before which all have been committed.
 */
export interface CachedCount {
  readonly version?: number;
  readonly addedBefore?: string;
  readonly totalItems: number;
}

/** Maximum age of a count that depends on time, such as that of promos. */
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
 * The cached count of a key; undefined where the caller must count: without an entry, or when an
 * entry that `ages` is too old. Of concurrent callers only the first gets undefined for an old
 * entry, so that one of them counts.
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

/** Caches a count; the oldest entry is evicted. */
export function cacheCount(database: Database, key: string, count: CachedCount): void {
  countsOf(database).set(key, { ...count, countedAt: performance.now() });
}

const firstCounts = new WeakMap<Database, Map<string, Promise<unknown>>>();

/**
 * Reads with the cached count of a key. Where there is none, the first caller counts and caches
 * the number, and the others wait for it: right after a start, all of them would count all rows.
 */
export async function withAddedCount<Result>(
  database: Database,
  key: string,
  read: (known?: CachedCount) => Promise<Result>,
): Promise<Result> {
  const running = firstCounts.get(database) ?? new Map<string, Promise<unknown>>();
  firstCounts.set(database, running);
  for (;;) {
    const known = countsOf(database).get(key);
    if (known) return read(known);
    const first = running.get(key);
    if (!first) break;
    await first.catch(() => undefined);
  }
  const counting = read();
  running.set(key, counting);
  try {
    return await counting;
  } finally {
    running.delete(key);
  }
}
