import { type KeyObject, verify } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import {
  type Received,
  rightForms,
  type SignatureMistake,
  signatureMistakes,
} from './signature-mistakes.ts';

/** A signature that matches nothing that is accepted. */
export interface UnmatchedSignature extends Received {
  /** r and s, 32 bytes each. */
  readonly signature: Uint8Array;
}

/** The explanation of a signature by a revoked key. */
export const REVOKED_KEY =
  'The signature is right, but its public key was revoked: sign with a key that the portal shows ' +
  'as valid.';

/** The portal allows two valid keys; the bound is for those that operators add. */
const TRIED_KEYS = 3;
/** Bytes of the point at the end of a key's DER. */
const POINT_BYTES = 65;

/**
 * The mistake that explains an unmatched signature, for a merchant with an access token; undefined
 * where none is found. It only explains: no result of it lets a request in. Only the owner of a
 * private key can make a signature that it explains, so it tells nobody else anything.
 *
 * OpenSSL verifies in the thread pool, so that other requests do not wait.
 */
export async function diagnoseSignature(
  unmatched: UnmatchedSignature,
  publicKeys: readonly KeyObject[],
  /** The keys of the merchant that were revoked last. */
  readRevokedKeys: (limit: number) => Promise<readonly KeyObject[]>,
): Promise<string | undefined> {
  const { signature } = unmatched;
  const keys = publicKeys.slice(0, TRIED_KEYS);
  const tried = new Set(rightForms(unmatched).map((bytes) => triedName(bytes)));
  for (const { explanation, signedBytes, hash } of signatureMistakes) {
    for (const bytes of signedBytes(unmatched)) {
      const name = triedName(bytes, hash);
      if (tried.has(name)) continue;
      tried.add(name);
      if (await isSignedByOne(keys, bytes, signature, hash)) return explanation;
    }
  }
  // A wrong signature stays a refusal while the database is unavailable.
  const revokedKeys = await readRevokedKeys(TRIED_KEYS).catch(() => []);
  for (const bytes of rightForms(unmatched))
    if (await isSignedByOne(revokedKeys, bytes, signature)) return REVOKED_KEY;
  return undefined;
}

const triedName = (bytes: Uint8Array, hash = 'sha256'): string =>
  `${hash} ${Buffer.from(bytes).toString('latin1')}`;

async function isSignedByOne(
  keys: readonly KeyObject[],
  bytes: Uint8Array,
  signature: Uint8Array,
  hash: SignatureMistake['hash'] | 'sha256' = 'sha256',
): Promise<boolean> {
  for (const key of keys) {
    const isSigned =
      hash === 'keccak-256'
        ? await isSignedOverKeccak(key, bytes, signature)
        : await verifyInThread(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
    if (isSigned) return true;
  }
  return false;
}

const verifyInThread = promisify(verify);

/**
 * OpenSSL has no Keccak-256, and verifies no digest that is made elsewhere. Other requests go first,
 * because @noble/curves takes milliseconds of the event loop.
 */
async function isSignedOverKeccak(key: KeyObject, bytes: Uint8Array, signature: Uint8Array) {
  await nextTurn();
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-POINT_BYTES);
  return secp256k1.verify(signature, keccak_256(bytes), point, { prehash: false, lowS: false });
}
