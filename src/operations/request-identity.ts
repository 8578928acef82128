import type { Digests } from '../crypto/digests.ts';
import type { RequestDigests } from '../db/operations/stored-operations.ts';

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

/**
 * The digests of a request's validated content. A digest begins with the version of its rules,
 * which never change: a row is always compared under its own version. Version 1, without a number,
 * distinguishes null from absent.
 */
export function digestRequest(digests: Digests, kind: string, content: unknown): RequestDigests {
  const digest = (text: unknown) => digests.request(`${kind} ${JSON.stringify(text)}`);
  return {
    requestDigest: `2:${digest(canonical(content))}`,
    earlierDigests: [digest(content)],
  };
}
