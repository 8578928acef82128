import type { SecretBox } from './secret-box.js';

/** A ciphertext that is moved to another key's row cannot be opened there. */
const contextOf = (digest: Buffer): string => `api-key ${digest.toString('hex')}`;

/** The ciphertext of an API key, to be stored beside its digest; null where keys are not kept. */
export const sealApiKey = (
  box: SecretBox | undefined,
  { key, digest }: { readonly key: string; readonly digest: Buffer },
): string | null => box?.seal(key, contextOf(digest)) ?? null;

/** The API key. Throws where the ciphertext is of another key, or was sealed by an unknown one. */
export const openApiKey = (
  box: SecretBox,
  { digest, ciphertext }: { readonly digest: Buffer; readonly ciphertext: string },
): string => box.open(ciphertext, contextOf(digest));
