import { maskMsisdn } from './phone.js';

declare const stored: unique symbol;

/**
 * A phone number as the database holds it, which is no number to send to: sealed as
 * "hash.masked.keyId.box", in clear in rows from before sealing, or erased. The parts in front serve
 * indexes and people; only `src/crypto/number-box.ts` opens the box.
 */
export interface StoredNumber {
  readonly [stored]: true;
}

/** What stands where a number was. */
const ERASED = 'erased';

/** The number as people may see it: "+2519*****678". */
export function maskStored(number: StoredNumber): string {
  const text = String(number);
  if (text === ERASED) return text;
  return isSealed(number) ? (text.split('.', 2)[1] ?? '') : maskMsisdn(text);
}

/** Whether two that are stored alike, both sealed or both in clear, are one number. */
export const isSameNumber = (one: StoredNumber, other: StoredNumber): boolean =>
  String(one).split('.', 1)[0] === String(other).split('.', 1)[0];

/** A number in clear has no dot. */
export const isSealed = (number: StoredNumber): boolean => String(number).includes('.');
