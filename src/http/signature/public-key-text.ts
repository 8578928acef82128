/** Longer than a PEM with explicit parameters and a page of explanation. */
const MAXIMUM_LENGTH = 8_192;
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;

/** How to create a key pair; most refusals end with it. */
export const HOW_TO_MAKE_KEYS =
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
export function readPublicKeyText(text: string): Uint8Array {
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
