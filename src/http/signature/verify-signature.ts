import { type KeyObject, verify } from 'node:crypto';
import type { UnmatchedSignature } from './diagnose-signature.ts';
import { checkFreshness } from './message-time.ts';
import { readSignatures } from './signature-encoding.ts';
import { splitSignatureHeader } from './signature-header.ts';

export type SignatureCheck =
  | {
      readonly ok: true;
      readonly message: string;
      /** Only `body-and-message` proves that the signer wrote this message. */
      readonly covers: 'body' | 'body-and-message';
      /** An `id` may not be reused for another body; the caller stores the used ones. */
      readonly messageKind: 'time' | 'id';
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Where header and key are in order, and only the signed bytes are not. */
      readonly unmatched?: UnmatchedSignature;
    };

/** Largest difference between a time in `x-signature` and the clock of the service. */
export const SIGNATURE_WINDOW_SECONDS = 300;

const MAX_HEADER_LENGTH = 1_024;
/**
 * Not blank and without line breaks, so that signed bytes split into body and message in one way.
 */
const MESSAGE = /^(?=.*[\x21-\x7e\x80-\xff])[\x20-\x7e\x80-\xff]{1,200}$/;
const LINE_FEED = Buffer.from('\n');

/**
 * Checks `x-signature` over the raw bytes of a body (design 8): ECDSA on secp256k1 with SHA-256, by
 * any of the merchant's keys. The signed bytes are the body, or the body, a line feed and the
 * message. `now` is in milliseconds. The reason of a refusal addresses the merchant's developer.
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
  const freshness = checkFreshness(parts.message, now, windowSeconds);
  if (freshness === 'stale') {
    return refuse(
      `The message in x-signature is a time more than ${windowSeconds} s from the server time.`,
    );
  }
  if (publicKeys.length === 0) return refuse('No public key is registered to check x-signature.');

  const message = Buffer.from(parts.message, 'latin1');
  const candidates = [
    { covers: 'body-and-message', bytes: Buffer.concat([body, LINE_FEED, message]) },
    { covers: 'body', bytes: body },
  ] as const;
  for (const { covers, bytes } of candidates) {
    if (isSignedByOne(publicKeys, bytes, signatures)) {
      return { ok: true, message: parts.message, covers, messageKind: freshness };
    }
  }
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
