import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import {
  isErased,
  maskMsisdn,
  type NumberBox,
  type StoredNumber,
  sealingKeyOf,
} from '../domain/phone.ts';
import { createSecretBox, type SecretKey } from './secret-box.ts';

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

/**
 * Seals phone numbers for the database (decision 30). The hash is under `digestKey`, which never
 * changes, so that a number is found whatever key sealed it. The box is under the first of
 * `dataKeys`, and opened by all of them. The box is bound to its hash: parts of two numbers cannot
 * be combined.
 */
export function createNumberBox(keys: {
  readonly digestKey: Buffer;
  readonly dataKeys: readonly SecretKey[];
}): NumberBox {
  const hashOf = createNumberHash(keys.digestKey);
  const secretBox = createSecretBox(keys.dataKeys);
  const firstKeyId = keys.dataKeys[0]?.id ?? '';
  const contextOf = (hash: string): string => `number ${hash}`;

  function store(msisdn: string): StoredNumber {
    const hash = hashOf(msisdn);
    const box = secretBox.seal(msisdn, contextOf(hash));
    return `${hash}.${maskMsisdn(msisdn)}.${box}` as unknown as StoredNumber;
  }

  function open(number: StoredNumber): string {
    if (isErased(number)) return String(number);
    const [hash = '', , keyId, body] = String(number).split('.', 4);
    return secretBox.open(`${keyId}.${body}`, contextOf(hash));
  }

  return {
    store,
    storeIfAny: (msisdn) => (msisdn === null ? null : store(msisdn)),
    open,
    openIfAny: (number) => (number === null ? null : open(number)),
    resealed: (number) =>
      isErased(number) || sealingKeyOf(number) === firstKeyId ? undefined : store(open(number)),
    hashOf,
    hashOfStored: (number) => (isErased(number) ? undefined : String(number).split('.', 1)[0]),
  };
}
