import { createHash } from 'node:crypto';
import { parseJsonBody } from '../body/json-body.ts';

/** What was received, with a signature that does not match it. */
export interface Received {
  readonly body: Uint8Array;
  readonly message: Uint8Array;
}

/** Something that merchants sign instead of the right bytes. */
export interface SignatureMistake {
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
export const rightForms = ({ body, message }: Received): readonly Uint8Array[] => [
  join(body, '\n', message),
  body,
];

/** The right forms of other bodies. */
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
 * The mistakes in the order in which they are tried: the most frequent first. Two can have the same
 * bytes, where the body ends with a line feed: the row above explains them.
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
