import { createHash, type KeyObject, verify } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { parseJsonBody } from '../body/json-body.ts';

/** The body and the message of the header, as received. */
interface Received {
  readonly body: Uint8Array;
  readonly message: Uint8Array;
}

/** Something that merchants sign instead of the right bytes. */
interface SignatureMistake {
  /** Addresses the merchant's developer: what was signed, and the remedy. */
  readonly explanation: string;
  /** The bytes that may have been signed. */
  readonly signedBytes: (received: Received) => readonly Uint8Array[];
  /** The hash of the signature where it is not SHA-256. */
  readonly hash?: 'sha1' | 'sha384' | 'sha512' | 'keccak-256';
}

const RIGHT = 'sign the body, one line feed (byte 0A) and the message';
/** Larger bodies are not written again as JSON. */
const MAXIMUM_JSON_BYTES = 8_192;

const join = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** The forms that are accepted: body, line feed and message, or the body alone. */
const rightForms = ({ body, message }: Received): readonly Uint8Array[] => [
  join(body, '\n', message),
  body,
];

/** The bytes that would have been right for one of these bodies. */
const formsOf = ({ message }: Received, bodies: readonly Uint8Array[]): readonly Uint8Array[] =>
  bodies.flatMap((body) => rightForms({ body, message }));

const otherHash = (
  hash: NonNullable<SignatureMistake['hash']>,
  name: string,
): SignatureMistake => ({
  explanation: `The signature is over ${name}: use SHA-256.`,
  signedBytes: rightForms,
  hash,
});

/**
 * The mistakes in the order in which they are tried: the most frequent first. Where a body ends with a line feed, two
 * rows can have the same bytes: the earlier row explains them.
 */
export const signatureMistakes: readonly SignatureMistake[] = [
  {
    explanation:
      'The two characters \\n (backslash and n) were signed between body and message: they belong ' +
      `in the header alone; ${RIGHT}.`,
    signedBytes: ({ body, message }) => [join(body, '\\n', message)],
  },
  {
    explanation:
      'The body was signed with other line breaks than it was sent with (LF, CRLF, or one at its ' +
      'end): sign the bytes that you send.',
    signedBytes: (received) => formsOf(received, otherLineBreaks(received.body)),
  },
  {
    explanation: `Body and message were signed without a line feed between them: ${RIGHT}.`,
    signedBytes: ({ body, message }) => [join(body, message)],
  },
  {
    explanation: `The message was signed before the body: ${RIGHT}.`,
    signedBytes: ({ body, message }) => [
      join(message, '\n', body),
      join(message, '\\n', body),
      join(message, body),
    ],
  },
  {
    explanation: `The message was signed alone: ${RIGHT}.`,
    signedBytes: ({ message }) => [message, join(message, '\n')],
  },
  {
    explanation: `A carriage return (byte 0D) was signed before the line feed: ${RIGHT}.`,
    signedBytes: ({ body, message }) => [join(body, '\r\n', message)],
  },
  {
    explanation:
      'A line feed was signed after the body or the message that was not sent, as echo and editors ' +
      'add it: sign the bytes that you send.',
    signedBytes: ({ body, message }) => [
      join(body, '\n'),
      join(body, '\n', message, '\n'),
      join(body, '\n\n', message),
    ],
  },
  {
    explanation:
      'The same JSON was signed in compact form, or with other escapes: sign the text that you ' +
      'send, not the object it is made of.',
    signedBytes: (received) => formsOf(received, rewritten(received.body, compact)),
  },
  {
    explanation:
      'The same JSON was signed with spaces after ":" and ",", as json.dumps of Python writes it: ' +
      'sign the text that you send, not the object it is made of.',
    signedBytes: (received) => formsOf(received, rewritten(received.body, withSpaces)),
  },
  {
    explanation:
      'The same JSON was signed with indentation: sign the text that you send, not the object it ' +
      'is made of.',
    signedBytes: (received) =>
      formsOf(
        received,
        [2, 4].flatMap((indent) => rewritten(received.body, indented(indent))),
      ),
  },
  {
    explanation:
      'The bytes were hashed twice, because a signing function that hashes was given a digest: give ' +
      'it the bytes themselves.',
    signedBytes: (received) =>
      rightForms(received).flatMap((bytes) => {
        const digest = createHash('sha256').update(bytes).digest();
        return [digest, join(digest.toString('hex')), join(digest.toString('base64'))];
      }),
  },
  {
    explanation:
      'An empty body was signed: many clients write the body only when they send it; write it ' +
      'first, then sign and send these bytes.',
    signedBytes: (received) => formsOf(received, [Buffer.alloc(0)]),
  },
  otherHash('sha1', 'SHA-1, the default of openssl_sign in PHP'),
  otherHash('sha512', 'SHA-512'),
  otherHash('sha384', 'SHA-384'),
  otherHash('keccak-256', 'Keccak-256, the hash of Ethereum libraries'),
];

function otherLineBreaks(body: Uint8Array): Uint8Array[] {
  const text = Buffer.from(body).toString('latin1');
  return [
    text.replace(/\r?\n$/, ''),
    text.replaceAll('\r\n', '\n'),
    text.replaceAll(/\r?\n/g, '\r\n'),
    `${text}\r\n`,
  ].map((other) => Buffer.from(other, 'latin1'));
}

/** The JSON of a body as other programs write it; nothing for a body that no endpoint accepts. */
function rewritten(body: Uint8Array, write: (value: unknown) => string): Uint8Array[] {
  if (body.length > MAXIMUM_JSON_BYTES) return [];
  const json = parseJsonBody(body, 'application/json');
  if (!json.ok) return [];
  const text = write(json.value);
  const inAscii = text.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [text, inAscii, inAscii.replaceAll('/', '\\/')].map((other) => Buffer.from(other));
}

const compact = (value: unknown): string => JSON.stringify(value);

const indented = (spaces: number) => (value: unknown) => JSON.stringify(value, null, spaces);

/** As json.dumps of Python writes without further arguments. */
function withSpaces(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withSpaces).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${withSpaces(one)}`,
  );
  return `{${fields.join(', ')}}`;
}

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
 * private key can make a signature that this explains, so it tells strangers nothing.
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
