import { ed25519PrivateKey, keyRing, symmetricKey } from '../setting-kinds.ts';

/** Secrets have no defaults: a process without them refuses to start (design 8). */
export const secretSettings = {
  ACCESS_TOKEN_PRIVATE_KEY: ed25519PrivateKey.describe(
    'Ed25519 private key (PKCS #8 PEM, `\\n` for line breaks) that signs access tokens',
  ),
  DIGEST_KEY: symmetricKey
    .transform((text) => Buffer.from(text, 'base64'))
    .describe(
      '32 bytes in base64: key of the digests that name operations, requests, payments and API ' +
        'keys. Never change it. Without `DIGEST_KEYS` it is the key of all other digests, too',
    ),
  DIGEST_KEYS: keyRing
    .optional()
    .describe(
      '`id:key,…` of 32 bytes in base64: keys of the digests of codes and of tokens of the ' +
        'portal. The first makes digests, all find them. `DIGEST_KEY` by default',
    ),
  DATA_KEYS: keyRing.describe(
    '`id:key,…` of 32 bytes in base64: AES-256-GCM keys for codes in the database. The ' +
      'first encrypts, all decrypt',
  ),
  PAYLOAD_KEYS: keyRing.describe(
    'AES-256-GCM keys for Temporal payloads, written as `DATA_KEYS`. Give a new key to ' +
      'every process before you put it first anywhere: workers refuse commands that they ' +
      'cannot read',
  ),
};
