import type { KeyObject } from 'node:crypto';
import { findValidPublicKey, listPublicKeys } from '../../db/access/company-access.ts';
import type { Database } from '../../db/connection.ts';
import { parsePublicKey, publicKeyFingerprint } from '../../http/signature/public-key.ts';
import { PRIVATE_KEY_REFUSAL } from '../../http/signature/public-key-text.ts';
import { fingerprintOf, MAXIMUM_PUBLIC_KEYS } from '../pages/access/public-keys.ts';

/** Describes why a merchant cannot register a key; undefined where it can. */
export async function registrationProblem(
  database: Database,
  merchantId: number,
  key: KeyObject,
): Promise<string | undefined> {
  const fingerprint = publicKeyFingerprint(key);
  const known = await listPublicKeys(database, merchantId);
  const same = known.find((row) => fingerprintOf(row) === fingerprint);
  if (same?.revokedAt) return 'This key was revoked: make a new pair.';
  if (same) return 'This key is already registered.';
  if (await findValidPublicKey(database, fingerprint))
    return 'This key is registered for another merchant: make your own key pair.';
  const valid = known.filter(({ revokedAt }) => revokedAt === null);
  return valid.length >= MAXIMUM_PUBLIC_KEYS
    ? 'Two keys are already valid: revoke one first.'
    : undefined;
}

type ReadKey =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly problem: string; readonly isPrivateKey: boolean };

/** Reads a pasted public key, or describes what is wrong with it. */
export function readPublicKey(text: string): ReadKey {
  if (text.trim() === '')
    return { ok: false, problem: 'Paste a public key or choose its file.', isPrivateKey: false };
  try {
    return { ok: true, key: parsePublicKey(text) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const isPrivateKey = error.message === PRIVATE_KEY_REFUSAL;
    return { ok: false, problem: error.message, isPrivateKey };
  }
}
