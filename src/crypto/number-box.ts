import {
  isErased,
  maskMsisdn,
  type NumberBox,
  type StoredNumber,
  sealingKeyOf,
} from '../domain/phone.ts';
import { createNumberHash } from './number-hash.ts';
import { createSecretBox } from './secret-box.ts';
import type { SecretKey } from './secret-keys.ts';

/** The keys of the settings. */
export const numberKeysOf = (config: {
  readonly DIGEST_KEY: Buffer;
  readonly DATA_KEYS: readonly SecretKey[];
}) => ({ digestKey: config.DIGEST_KEY, dataKeys: config.DATA_KEYS });

/**
 * Seals phone numbers for the database (decision 30). The hash is under `digestKey`, which never
 * changes, so that a number is found whatever key sealed it; the box is under the first of
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

  /** Takes E.164. */
  function store(msisdn: string): StoredNumber {
    const hash = hashOf(msisdn);
    const box = secretBox.seal(msisdn, contextOf(hash));
    return `${hash}.${maskMsisdn(msisdn)}.${box}` as unknown as StoredNumber;
  }

  /** The number (E.164); of an erased one the text "erased", which equals no number. */
  function open(number: StoredNumber): string {
    if (isErased(number)) return String(number);
    const [hash = '', , keyId, body] = String(number).split('.', 4);
    return secretBox.open(`${keyId}.${body}`, contextOf(hash));
  }

  return {
    store,
    storeIfAny: (msisdn: string | null): StoredNumber | null =>
      msisdn === null ? null : store(msisdn),
    open,
    openIfAny: (number: StoredNumber | null): string | null =>
      number === null ? null : open(number),
    /** Sealed under the first key; undefined where it is so already, or erased. */
    resealed: (number: StoredNumber): StoredNumber | undefined =>
      isErased(number) || sealingKeyOf(number) === firstKeyId ? undefined : store(open(number)),
    /** The keyed hash of a number (E.164). */
    hashOf,
    /** The same of a stored one; undefined where it is erased. */
    hashOfStored: (number: StoredNumber): string | undefined =>
      isErased(number) ? undefined : String(number).split('.', 1)[0],
  };
}
