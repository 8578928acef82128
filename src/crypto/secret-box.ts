import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

export interface SecretKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** A secret key as the functions of `node:crypto` take it. */
export interface PreparedKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Keys for many uses: Node.js 24 takes twice as long with bytes, which it has to recognize each time. */
export const prepareKeys = (keys: readonly SecretKey[]): PreparedKey[] =>
  keys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts by AES-256-GCM to nonce, ciphertext and tag. A `context` must be repeated to decrypt. */
export function sealBytes(key: KeyObject, plain: string | Uint8Array, context = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `sealBytes` made. Throws where the key or the context differs, or the bytes were altered. */
export function openBytes(key: KeyObject, sealed: Uint8Array, context = ''): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([plain, decipher.final()]);
}

/** A stored secret that the given keys do not open. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
}

export type SecretBox = ReturnType<typeof createSecretBox>;

/**
 * Encrypts short secrets for the database as "keyId.base64url": nonce, ciphertext
 * and tag. The first key encrypts and all decrypt; to rotate, put a new key first. Throws a
 * RangeError where a key is missing, repeated or of the wrong length.
 */
export function createSecretBox(keys: readonly SecretKey[]) {
  const prepared = prepareKeys(keys);
  const [sealing] = prepared;
  if (!sealing) throw new RangeError('A secret box needs at least one key.');
  const keysById = new Map(prepared.map(({ id, key }) => [id, key]));
  const readable = keys.every(({ id, key }) => /^[\w-]+$/.test(id) && key.length === KEY_BYTES);
  if (!readable || keysById.size < keys.length) {
    throw new RangeError('Each key of a secret box needs its own id and 32 bytes.');
  }

  return {
    /**
     * `context` identifies the owner of the secret, such as "voucher 17 code"; `open` must repeat
     * it.
     */
    seal(text: string, context: string): string {
      return `${sealing.id}.${sealBytes(sealing.key, text, context).toString('base64url')}`;
    },

    /** @throws {SealedSecretError} where the key is unknown, the context differs, or the box was altered */
    open(box: string, context: string): string {
      const [id = '', body = ''] = box.split('.', 2);
      const key = keysById.get(id);
      if (!key) throw new SealedSecretError('The key that sealed this secret is not configured.');
      const bytes = Buffer.from(body, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES)
        throw new SealedSecretError('A sealed secret is cut short.');
      try {
        return openBytes(key, bytes, context).toString('utf8');
      } catch (cause) {
        throw new SealedSecretError('A sealed secret was altered, or its key has other bytes.', {
          cause,
        });
      }
    },
  };
}
