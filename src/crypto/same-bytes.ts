import { timingSafeEqual } from 'node:crypto';

/** Whether a caller gave the expected bytes, or the UTF-8 of a text; the time tells nothing but the length. */
export function isSameBytes(given: Buffer | string, expected: Buffer | string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
