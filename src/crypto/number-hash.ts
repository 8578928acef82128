import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;
/** 128 bits: no two numbers share a hash, and an index of them stays small. */
const HASH_BYTES = 16;

/**
 * The keyed hash that finds a phone number without showing it: in search attributes, in indexes and
 * in the audit log. Its key is derived from `digestKey` (HKDF-SHA-256), so that a hash never equals
 * another digest and its key alone opens nothing else. Without the key a hash cannot be reversed
 * by trying all numbers.
 */
export function createNumberHash(digestKey: Buffer) {
  const derived = hkdfSync('sha256', digestKey, '', 'number-hash', KEY_BYTES);
  const key = createSecretKey(Buffer.from(derived));
  /** Takes a number in E.164 form, such as +251911000001; returns 22 characters of base64url. */
  return (msisdn: string): string =>
    createHmac('sha256', key).update(msisdn).digest().subarray(0, HASH_BYTES).toString('base64url');
}
