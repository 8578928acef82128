import { createSecretKey, type KeyObject } from 'node:crypto';

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
