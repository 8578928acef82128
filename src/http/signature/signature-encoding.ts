import { secp256k1 } from '@noble/curves/secp256k1.js';

/** A DER signature on secp256k1 has at most 72 bytes. */
const MAXIMUM_LENGTH = 2 * 72;
const COMPACT_BYTES = 64;

/**
 * The signatures that a text may stand for, as 64 bytes r‖s: DER, or these 64 bytes themselves, in
 * hex (of either case), base64 or base64url, padded or not (design 8). s may be high or low.
 *
 * A text hardly ever has more than one meaning, and never more than four; each of them counts,
 * because only who holds the key can make any of them right. Left out is what is no canonical DER
 * (BER, needless zeros, negative numbers, bytes behind), and r or s of 0 or not below the group's
 * order.
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
