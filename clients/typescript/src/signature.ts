import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

/**
 * Reads the private key of a merchant.
 *
 * @throws {TypeError} unless it is a key of the curve secp256k1
 */
export function readPrivateKey(pem: string | KeyObject): KeyObject {
  const key = typeof pem === 'string' ? createPrivateKey(pem) : pem;
  if (key.type === 'private' && key.asymmetricKeyDetails?.namedCurve === 'secp256k1') return key;
  throw new TypeError('privateKey must be a private key of the curve secp256k1');
}

/**
 * The value of `x-signature`: ECDSA with SHA-256 over body, line feed and message, as DER in base64,
 * then the two characters `\n`, then the message.
 *
 * @param body exactly the bytes that are sent
 * @param message the time now by default
 */
export function signatureHeader(
  privateKey: KeyObject,
  body: string | Uint8Array,
  message: string = new Date().toISOString(),
): string {
  const signed = Buffer.concat([Buffer.from(body), Buffer.from(`\n${message}`)]);
  return `${sign('sha256', signed, privateKey).toString('base64')}\\n${message}`;
}
