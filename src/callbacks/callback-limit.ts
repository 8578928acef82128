const HINTS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const MAXIMUM_ENTRIES = 10_000;

/**
 * Whether a hint for a subject is passed on: callbacks are not signed, and each one that reaches a
 * workflow stays in its history. What is dropped costs nothing, since the workflow asks by itself.
 */
export function createCallbackLimit(now: () => number = Date.now) {
  const spent = new Map<string, { count: number; readonly until: number }>();
  return (subject: string): boolean => {
    const entry = spent.get(subject);
    if (entry && entry.until > now()) {
      entry.count += 1;
      return entry.count <= HINTS_PER_HOUR;
    }
    if (spent.size >= MAXIMUM_ENTRIES) spent.clear();
    spent.set(subject, { count: 1, until: now() + HOUR_MS });
    return true;
  };
}
