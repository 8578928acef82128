import { LRUCache } from 'lru-cache';

const HINTS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const MAXIMUM_SUBJECTS = 20_000;

/**
 * Limits the callbacks of a subject that reach its workflow: they are not signed, and each one adds
 * to the workflow's history. A dropped callback costs nothing, since the workflow polls the
 * provider. rate-limiter-flexible does not fit: its memory store has a timer per subject and no
 * bound.
 */
export function createCallbackLimit() {
  const hints = new LRUCache<string, { count: number }>({ max: MAXIMUM_SUBJECTS, ttl: HOUR_MS });
  return (subject: string): boolean => {
    const counted = hints.get(subject) ?? { count: 0 };
    if (counted.count === 0) hints.set(subject, counted);
    counted.count += 1;
    return counted.count <= HINTS_PER_HOUR;
  };
}
