import type { SecretBox } from './secret-box.ts';

/** A ciphertext that is moved to another key's row cannot be decrypted there. */
const contextOf = (digest: Buffer): string => `api-key ${digest.toString('hex')}`;

/** The ciphertext of an API key for storage beside its digest; null where keys are not stored. */
export const sealApiKey = (
  box: SecretBox | undefined,
  { key, digest }: { readonly key: string; readonly digest: Buffer },
): string | null => box?.seal(key, contextOf(digest)) ?? null;

/**
 * The API key. Throws where the ciphertext belongs to another key, or its encryption key is
 * unknown.
 */
export const openApiKey = (
  box: SecretBox,
  { digest, ciphertext }: { readonly digest: Buffer; readonly ciphertext: string },
): string => box.open(ciphertext, contextOf(digest));
