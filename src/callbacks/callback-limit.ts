import { LRUCache } from 'lru-cache';

const HINTS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const MAXIMUM_SUBJECTS = 10_000;

/**
 * Whether a hint for a subject is passed on: callbacks are not signed, and each one that reaches a
 * workflow stays in its history. What is dropped costs nothing, since the workflow asks by itself.
 * Not by rate-limiter-flexible: its memory has a timer for each subject and no bound.
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
