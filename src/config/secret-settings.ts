import { ed25519PrivateKey, keyRing, symmetricKey } from './setting-kinds.js';

/** Secrets have no defaults: a process without them refuses to start (design 8). */
export const secretSettings = {
  /** Ed25519 private key, PKCS #8 PEM: signs access tokens. `\n` may stand for line breaks. */
  ACCESS_TOKEN_PRIVATE_KEY: ed25519PrivateKey,
  /** HMAC key of every keyed digest: API keys, voucher codes, verification codes, operations. */
  DIGEST_KEY: symmetricKey.transform((text) => Buffer.from(text, 'base64')),
  /** AES-256-GCM keys for voucher and verification codes in the database. */
  DATA_KEYS: keyRing,
  /** AES-256-GCM keys for Temporal payloads. */
  PAYLOAD_KEYS: keyRing,
};
