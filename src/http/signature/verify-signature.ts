import { type KeyObject, verify } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { UnmatchedSignature } from './diagnose-signature.ts';

/** Largest difference between a time in `x-signature` and the clock of the service. */
export const SIGNATURE_WINDOW_SECONDS = 300;

const ISO_TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * Classifies the message of a signature: a time within the window around `now` (milliseconds), a
 * time outside it, or not a time. Times are ISO 8601 (UTC without an offset) and Unix
 * seconds or milliseconds.
 */
export function checkFreshness(message: string, now: number): 'time' | 'stale' | 'id' {
  const time = readTime(message);
  if (time === undefined) return 'id';
  return Math.abs(now - time) <= SIGNATURE_WINDOW_SECONDS * 1_000 ? 'time' : 'stale';
}

function readTime(message: string): number | undefined {
  if (/^\d{10}$/.test(message)) return Number(message) * 1_000;
  if (/^\d{13}$/.test(message)) return Number(message);
  const match = ISO_TIME.exec(message);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '0', zone = 'Z'] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3)}${offset}`,
  );
  return Number.isNaN(time) ? undefined : time;
}

/** A DER signature on secp256k1 has at most 72 bytes. */
const MAXIMUM_LENGTH = 2 * 72;
const COMPACT_BYTES = 64;

/**
 * The signatures that a text can encode, as 64 bytes r‖s. The text is DER, or these 64 bytes
 * themselves, in hex (either case), base64 or base64url, with or without padding. s may
 * be high or low.
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

interface SignatureHeader {
  /** Encoded as sent. */
  readonly signature: string;
  /** One character for each signed byte, as Node.js presents headers. */
  readonly message: string;
}

/**
 * Splits `x-signature` into signature and message. A header cannot contain a line break,
 * so the first match decides. It is `\n` (backslash and n), followed by the plain message. Or it is
 * `%0A`, where the whole value is percent-encoded. Otherwise it is base64 of a text with a line
 * break. `\r\n`, `%0D%0A` and CR LF are line breaks, too. Returns undefined for anything else.
 */
export const splitSignatureHeader = (header: string): SignatureHeader | undefined =>
  splitAt(header, /(?:\\r)?\\n/) ?? splitPercentEncoded(header) ?? splitBase64(header);

function splitAt(text: string, lineBreak: RegExp): SignatureHeader | undefined {
  const found = lineBreak.exec(text);
  if (!found) return undefined;
  return {
    signature: text.slice(0, found.index),
    message: text.slice(found.index + found[0].length),
  };
}

/** An encoded line break implies that "+", "/", "=" and ":" are encoded as well. */
function splitPercentEncoded(header: string): SignatureHeader | undefined {
  const parts = splitAt(header, /(?:%0D)?%0A/i);
  return (
    parts && { signature: decodePercent(parts.signature), message: decodePercent(parts.message) }
  );
}

const decodePercent = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, byte: string) =>
    String.fromCharCode(Number.parseInt(byte, 16)),
  );

/** A bare signature is base64 too, but its bytes are not text, even if one is a line feed. */
function splitBase64(header: string): SignatureHeader | undefined {
  if (!/^(?:[\w-]+|[A-Za-z0-9+/]+)={0,2}$/.test(header)) return undefined;
  const text = Buffer.from(header, 'base64').toString('latin1');
  return /^[\w+/=-]+\r?\n/.test(text) ? splitAt(text, /\r?\n/) : undefined;
}

type SignatureCheck =
  | {
      readonly ok: true;
      readonly message: string;
      /** An `id` may not be reused for another body; the caller stores the used ones. */
      readonly messageKind: 'time' | 'id';
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Where header and key are in order, and only the signed bytes are not. */
      readonly unmatched?: UnmatchedSignature;
    };

const MAX_HEADER_LENGTH = 1_024;
/**
 * Not blank and without line breaks, so that signed bytes split into body and message in one way.
 */
const MESSAGE = /^(?=.*[\x21-\x7e\x80-\xff])[\x20-\x7e\x80-\xff]{1,200}$/;
const LINE_FEED = Buffer.from('\n');

/**
 * Checks `x-signature` over the raw bytes of a body: ECDSA on secp256k1 with SHA-256, by
 * any of the merchant's keys. The signed bytes are the body, or the body, a line feed and the
 * message. `now` is in milliseconds. The reason of a refusal addresses the merchant's developer.
 */
export function verifySignature(request: {
  readonly header: string | undefined;
  readonly body: Uint8Array;
  readonly publicKeys: readonly KeyObject[];
  readonly now: number;
}): SignatureCheck {
  const { header, body, publicKeys, now } = request;
  if (!header) return refuse('The header x-signature is missing.');
  if (header.length > MAX_HEADER_LENGTH) return refuse('The header x-signature is too long.');
  const parts = splitSignatureHeader(header);
  if (!parts) {
    return refuse('x-signature must be the signature, \\n (backslash and n), and a message.');
  }
  if (!MESSAGE.test(parts.message)) {
    return refuse('The message in x-signature must have 1 to 200 printable characters.');
  }
  const signatures = readSignatures(parts.signature);
  if (signatures.length === 0) {
    return refuse(
      'The signature in x-signature must be DER, or r and s of 32 bytes each, in base64 or hex ' +
        'without line breaks.',
    );
  }
  const freshness = checkFreshness(parts.message, now);
  if (freshness === 'stale') {
    return refuse(
      `The message in x-signature is a time more than ${SIGNATURE_WINDOW_SECONDS} s from the server time.`,
    );
  }
  if (publicKeys.length === 0) return refuse('No public key is registered to check x-signature.');

  const message = Buffer.from(parts.message, 'latin1');
  const signed = [Buffer.concat([body, LINE_FEED, message]), body];
  if (signed.some((bytes) => isSignedByOne(publicKeys, bytes, signatures)))
    return { ok: true, message: parts.message, messageKind: freshness };
  const [signature] = signatures;
  return {
    ...refuse('x-signature matches neither the body as sent nor body, line feed and message.'),
    ...(signature && { unmatched: { body, message, signature } }),
  };
}

const refuse = (reason: string) => ({ ok: false, reason }) as const;

/**
 * OpenSSL verifies four times as fast as @noble/curves, which only decodes here. The tests prove
 * with Wycheproof's vectors that both agree.
 */
const isSignedByOne = (
  publicKeys: readonly KeyObject[],
  bytes: Uint8Array,
  signatures: readonly Uint8Array[],
): boolean =>
  publicKeys.some((key) =>
    signatures.some((signature) =>
      verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature),
    ),
  );
