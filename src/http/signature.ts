import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';

export type SignatureCheck =
  | {
      readonly ok: true;
      readonly message: string;
      /** Only under `body-and-message` is it proven that the signer wrote this message. */
      readonly covers: 'body' | 'body-and-message';
      /** An `id` may not be used again for another body; the caller remembers them. */
      readonly messageKind: 'time' | 'id';
    }
  | { readonly ok: false; readonly reason: string };

const MAX_PEM_LENGTH = 2_048;
const MAX_HEADER_LENGTH = 1_024;
/** Without line breaks and not blank, so that one text of signed bytes has one body and message. */
const MESSAGE = /^(?=.*[\x21-\x7e\x80-\xff])[\x20-\x7e\x80-\xff]{1,200}$/;
const LINE_FEED = Buffer.from('\n');

/**
 * Reads a merchant's public key: secp256k1, as `openssl ec -pubout` writes it (spec 5). Do this
 * once and keep the key. Throws a RangeError with a reason for anything else.
 */
export function parsePublicKeyPem(pem: string): KeyObject {
  // Node.js would also derive a public key from a private one, which nobody should ever send us.
  if (pem.length > MAX_PEM_LENGTH || !pem.trim().startsWith('-----BEGIN PUBLIC KEY-----')) {
    throw new RangeError('The public key must be PEM that starts with BEGIN PUBLIC KEY.');
  }
  const key = readKey(pem);
  if (key?.asymmetricKeyDetails?.namedCurve !== 'secp256k1') {
    throw new RangeError('The public key must be an elliptic curve key on secp256k1.');
  }
  return key;
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

/**
 * Checks `x-signature` over the raw bytes of a body (design 8): ECDSA on secp256k1 with SHA-256, by
 * any of the merchant's keys. Signed are the body, or the body, a line feed and the message. `now`
 * is in milliseconds. A refusal's reason is meant for the developer at the other end.
 */
export function verifySignature(request: {
  readonly header: string | undefined;
  readonly body: Uint8Array;
  readonly publicKeys: readonly KeyObject[];
  readonly now: number;
  readonly windowSeconds: number;
}): SignatureCheck {
  const { header, body, publicKeys, now, windowSeconds } = request;
  if (!header) return refuse('The header x-signature is missing.');
  if (header.length > MAX_HEADER_LENGTH) return refuse('The header x-signature is too long.');
  const parts = splitHeader(header);
  if (!parts) {
    return refuse('x-signature must be the signature, \\n (backslash and n), and a message.');
  }
  if (!MESSAGE.test(parts.message)) {
    return refuse('The message in x-signature must have 1 to 200 printable characters.');
  }
  const signature = decodeSignature(parts.signature);
  if (!signature) {
    return refuse('The signature in x-signature must be DER in base64 without line breaks.');
  }
  const freshness = checkFreshness(parts.message, now, windowSeconds);
  if (freshness === 'stale') {
    return refuse(`The message in x-signature is a time over ${windowSeconds} s away from ours.`);
  }
  if (publicKeys.length === 0) return refuse('No public key is registered to check x-signature.');

  // Node.js hands header values on as Latin-1, one character for each byte that was signed.
  const message = Buffer.from(parts.message, 'latin1');
  const candidates = [
    { covers: 'body-and-message', bytes: Buffer.concat([body, LINE_FEED, message]) },
    { covers: 'body', bytes: body },
  ] as const;
  for (const { covers, bytes } of candidates) {
    if (publicKeys.some((key) => isSignedBy(key, bytes, signature))) {
      return { ok: true, message: parts.message, covers, messageKind: freshness };
    }
  }
  return refuse('x-signature fits neither the body as sent nor body, line feed and message.');
}

const refuse = (reason: string): SignatureCheck => ({ ok: false, reason });

/**
 * A line break cannot cross HTTP inside a header, so it is written as `\n` or as `%0A`, or the
 * whole value is base64.
 */
function splitHeader(header: string): { signature: string; message: string } | undefined {
  return (
    splitAt(header, '\\n') ??
    splitAt(header, '%0A') ??
    splitBase64(Buffer.from(header, 'base64').toString('latin1'))
  );
}

/** A bare signature is base64 too, but its bytes are no text, even where one is a line feed. */
function splitBase64(text: string) {
  return /^[\w+/=-]+\n/.test(text) ? splitAt(text, '\n') : undefined;
}

function splitAt(text: string, separator: string) {
  const index = text.indexOf(separator);
  if (index < 0) return undefined;
  return { signature: text.slice(0, index), message: text.slice(index + separator.length) };
}

/** The 64 bytes r‖s of a signature, both in range, whether s is high or low; or undefined. */
function decodeSignature(text: string): Uint8Array | undefined {
  if (!/^[0-9A-Za-z+/]{8,100}={0,2}$/.test(text)) return undefined;
  try {
    return secp256k1.Signature.fromBytes(Buffer.from(text, 'base64'), 'der').toBytes('compact');
  } catch {
    return undefined;
  }
}

/** OpenSSL checks four times as fast as @noble/curves, which only decodes here. */
function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

const ISO_TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * Whether a message is a time within the window around `now` (milliseconds), one outside it, or
 * not a time at all. Times are ISO 8601 (UTC without an offset) and Unix seconds or milliseconds.
 */
export function checkFreshness(
  message: string,
  now: number,
  windowSeconds: number,
): 'time' | 'stale' | 'id' {
  const time = readTime(message);
  if (time === undefined) return 'id';
  return Math.abs(now - time) <= windowSeconds * 1_000 ? 'time' : 'stale';
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
