import type { Digests } from '../crypto/digests.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null means absent, and the order of fields is irrelevant. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  const sorted = present.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, field]) => [name, canonical(field)]));
}

/** The keyed digest of a request's validated content; its rules never change. */
export const digestRequest = (digests: Digests, kind: string, content: unknown): string =>
  digests.request(`${kind} ${JSON.stringify(canonical(content))}`);
