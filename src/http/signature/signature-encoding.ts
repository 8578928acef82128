import { secp256k1 } from '@noble/curves/secp256k1.js';

/** A DER signature on secp256k1 has at most 72 bytes. */
const MAXIMUM_LENGTH = 2 * 72;
const COMPACT_BYTES = 64;

/**
 * The signatures that a text can encode, as 64 bytes r‖s: DER, or these 64 bytes themselves, in hex
 * (either case), base64 or base64url, with or without padding (design 8). s may be high or low.
 *
 * A text rarely has more than one reading, and never more than four. All are checked, because only
 * the owner of the key can make any of them valid. Excluded are non-canonical DER (BER, needless
 * zeros, negative numbers, trailing bytes), and r or s of 0 or beyond the group's order.
 */
export const readSignatures = (text: string): Uint8Array[] =>
  bytesOf(text).flatMap((bytes) => [
    ...compactOf(bytes, 'der'),
    ...(bytes.length === COMPACT_BYTES ? compactOf(bytes, 'compact') : []),
  ]);

function bytesOf(text: string): Buffer[] {
  if (text.length > MAXIMUM_LENGTH) return [];
  const bytes: Buffer[] = [];
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) bytes.push(Buffer.from(text, 'hex'));
  if (isBase64(text)) bytes.push(Buffer.from(text, 'base64'));
  return bytes;
}

function isBase64(text: string): boolean {
  const [, digits = '', padding = ''] = /^([\w-]+|[A-Za-z0-9+/]+)(={0,2})$/.exec(text) ?? [];
  return digits.length % 4 !== 1 && (padding === '' || (digits + padding).length % 4 === 0);
}

function compactOf(bytes: Uint8Array, form: 'der' | 'compact'): Uint8Array[] {
  try {
    return [secp256k1.Signature.fromBytes(bytes, form).toBytes('compact')];
  } catch {
    return [];
  }
}
