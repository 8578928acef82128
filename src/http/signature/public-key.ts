import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';

interface DerElement {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** The bit of the tag of elements that contain others. */
const CONSTRUCTED = 0x20;

/**
 * The consecutive elements of DER (ITU-T X.690); undefined where it is not canonical, truncated, or
 * has an element of 64 KiB or more.
 */
function readDer(bytes: Uint8Array): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  for (let position = 0; position < bytes.length; ) {
    const length = readLength(bytes, position + 1);
    if (!length || length.end + length.value > bytes.length) return undefined;
    const end = length.end + length.value;
    elements.push({ tag: bytes[position] ?? 0, value: bytes.subarray(length.end, end) });
    position = end;
  }
  return elements;
}

function readLength(bytes: Uint8Array, start: number) {
  const [first = 0xff, second = 0, third = 0] = bytes.subarray(start, start + 3);
  if (first < 0x80) return { value: first, end: start + 1 };
  if (first === 0x81 && second >= 0x80) return { value: second, end: start + 2 };
  if (first === 0x82 && second > 0) return { value: second * 256 + third, end: start + 3 };
  return undefined;
}

/** The values of all primitive elements in their order, as hex without leading zeros. */
function leavesOf(elements: readonly DerElement[]): readonly string[] {
  return elements.flatMap(({ tag, value }) =>
    tag & CONSTRUCTED
      ? leavesOf(readDer(value) ?? [])
      : [Buffer.from(value).toString('hex').replace(/^0+/, '')],
  );
}

/** Longer than a PEM with explicit parameters and a page of explanation. */
const MAXIMUM_LENGTH = 8_192;
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;

/** How to create a key pair; most refusals end with it. */
const HOW_TO_MAKE_KEYS =
  'Make a pair with: openssl ecparam -name secp256k1 -genkey -noout -out private-key.pem && ' +
  'openssl ec -in private-key.pem -pubout -out public-key.pem';

export const PRIVATE_KEY_REFUSAL =
  'This is a private key, which must stay secret: discard it, make a new pair, and register ' +
  `the public key alone. ${HOW_TO_MAKE_KEYS}`;

/**
 * The bytes of a public key as merchants paste it: PEM, also with explanations, curve parameters or
 * other line ends; or base64 or hex without armour.
 *
 * @throws RangeError that says what to do instead
 */
function readPublicKeyText(text: string): Uint8Array {
  if (text.length > MAXIMUM_LENGTH) throw new RangeError('This is too long for a public key.');
  // Settings and JSON often escape line breaks.
  const plain = text.replaceAll('\\r', '').replaceAll('\\n', '\n').trim();
  const isPem = plain.includes('-----BEGIN ');
  const content = isPem ? contentOfPem(plain) : plain;
  const bytes = decode(content.replace(/\s/g, ''));
  if (bytes && (isPem || looksLikeKey(bytes))) return bytes;
  throw new RangeError(
    isPem
      ? 'The lines between BEGIN PUBLIC KEY and END PUBLIC KEY are damaged: copy the file again.'
      : `This is not a public key in PEM, which begins with BEGIN PUBLIC KEY. ${HOW_TO_MAKE_KEYS}`,
  );
}

/** Other text can be valid base64 by chance. */
const looksLikeKey = (bytes: Uint8Array) => bytes[0] === 0x30 || [33, 65].includes(bytes.length);

function contentOfPem(text: string): string {
  if (text.includes('PRIVATE KEY-----')) throw new RangeError(PRIVATE_KEY_REFUSAL);
  if (text.includes('-----BEGIN CERTIFICATE')) {
    throw new RangeError(
      'This is a certificate. Extract its public key with: ' +
        'openssl x509 -in certificate.pem -pubkey -noout',
    );
  }
  const blocks = [...text.matchAll(PEM_BLOCK)].filter(([, label]) => label === 'PUBLIC KEY');
  const [block, other] = blocks;
  if (other) throw new RangeError('These are several public keys: register them one by one.');
  if (block) return block[2] ?? '';
  throw new RangeError(
    `There is no whole block from BEGIN PUBLIC KEY to END PUBLIC KEY. ${HOW_TO_MAKE_KEYS}`,
  );
}

/** Hex first: no key in base64 consists only of an even number of hexadecimal digits. */
function decode(text: string): Uint8Array | undefined {
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^(?:[\w-]+|[A-Za-z0-9+/]+)={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;

/** Object identifiers in DER. */
const EC_PUBLIC_KEY = '2a8648ce3d0201';
const SECP256K1 = '2b8104000a';
const PRIME_FIELD = '2a8648ce3d0101';
const OTHER_CURVES: Readonly<Record<string, string>> = {
  '2a8648ce3d030107': 'P-256',
  '2b81040022': 'P-384',
  '2b81040023': 'P-521',
  '2b2403030208010107': 'brainpoolP256r1',
};
const OTHER_ALGORITHMS: Readonly<Record<string, string>> = {
  '2a864886f70d010101': 'RSA',
  '2b6570': 'Ed25519',
};

/** The DER prefix of the 65 bytes of a point, in the one form that the service stores. */
const SPKI_PREFIX = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

/**
 * Reads a merchant's public key on secp256k1 (specification 5), in one of two forms. One is
 * SubjectPublicKeyInfo in PEM or, without armour, in base64 or hex. Its point has any form, and its
 * curve is named or has explicit parameters. The other is the bare point of 33 or 65 bytes in hex
 * or base64. Keys of the same point become equal. Parsing is slow: keep the result.
 *
 * @noble/curves checks the point before OpenSSL sees it, because Node.js aborts the whole process
 * for a key that is the point at infinity.
 *
 * @throws RangeError with a message for the merchant
 */
export function parsePublicKey(text: string): KeyObject {
  const bytes = readPublicKeyText(text);
  const point = checkPoint(bytes[0] === SEQUENCE ? pointOf(bytes) : bytes);
  return createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, point]),
    format: 'der',
    type: 'spki',
  });
}

/** SHA-256 of a key's DER in hex, independent of the form in which the key was sent. */
export const publicKeyFingerprint = (key: KeyObject): string =>
  hash('sha256', key.export({ type: 'spki', format: 'der' }));

/** The fingerprint of a stored key. */
export const fingerprintOf = ({ publicKeyPem }: { readonly publicKeyPem: string }): string =>
  publicKeyFingerprint(parsePublicKey(publicKeyPem));

function pointOf(der: Uint8Array): Uint8Array {
  const [outer, behind] = readDer(der) ?? [];
  const [algorithm, bits, ...rest] = (outer && readDer(outer.value)) ?? [];
  // Private keys begin with a version number of one byte.
  if (algorithm?.tag === INTEGER && algorithm.value.length === 1)
    throw new RangeError(PRIVATE_KEY_REFUSAL);
  const isKey = algorithm?.tag === SEQUENCE && bits?.tag === BIT_STRING && bits.value[0] === 0;
  if (behind || !isKey || rest.length > 0)
    throw new RangeError(`This is not a public key, or it is damaged. ${HOW_TO_MAKE_KEYS}`);
  requireCurve(leavesOf([algorithm]));
  return bits.value.subarray(1);
}

function requireCurve([algorithm = '', ...parameters]: readonly string[]): void {
  const must = 'It must be an elliptic curve key on secp256k1.';
  if (algorithm !== EC_PUBLIC_KEY) {
    const name = OTHER_ALGORITHMS[algorithm] ?? 'another algorithm';
    throw new RangeError(`This is a key for ${name}. ${must} ${HOW_TO_MAKE_KEYS}`);
  }
  const [curve = ''] = parameters;
  if (parameters.length === 1 && curve === SECP256K1) return;
  if (isWrittenOut(parameters)) return;
  const name = OTHER_CURVES[curve] ?? 'another curve';
  throw new RangeError(`This is a key on ${name}. ${must} ${HOW_TO_MAKE_KEYS}`);
}

/**
 * Explicit parameters, as `openssl ec -param_enc explicit` writes them: all must equal those of the
 * curve.
 */
function isWrittenOut(parameters: readonly string[]): boolean {
  const { p, a, b, n, h } = secp256k1.Point.CURVE();
  const numbers = [p, a, b].map(hex);
  return [false, true].some((isCompressed) => {
    const generator = secp256k1.Point.BASE.toHex(isCompressed).replace(/^0+/, '');
    const expected = ['1', PRIME_FIELD, ...numbers, generator, hex(n), hex(h)];
    return parameters.join() === expected.join();
  });
}

const hex = (number: bigint): string => (number === 0n ? '' : number.toString(16));

/** The 65 bytes of a point on the curve other than infinity. */
function checkPoint(bytes: Uint8Array): Uint8Array {
  try {
    return secp256k1.Point.fromBytes(withoutHybrid(bytes)).toBytes(false);
  } catch {
    throw new RangeError(
      'The key is no point of the curve secp256k1: it is damaged or truncated. Export it again ' +
        'with: openssl ec -in private-key.pem -pubout -out public-key.pem',
    );
  }
}

/** `-conv_form hybrid` encodes the parity of y twice. */
function withoutHybrid(bytes: Uint8Array): Uint8Array {
  const isOdd = (bytes.at(-1) ?? 0) & 1;
  return bytes[0] === (6 | isOdd) ? Uint8Array.of(4, ...bytes.subarray(1)) : bytes;
}
