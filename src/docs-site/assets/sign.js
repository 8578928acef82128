// Signs a merchant's call in the browser. The private key stays in this module's arguments: it is
// neither sent nor stored.
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** The signed text, by the value of the choice; the service accepts the first two. */
const signedTexts = {
  both: (body, message) => `${body}\n${message}`,
  body: (body) => body,
  unseparated: (body, message) => body + message,
  escaped: (body, message) => `${body}\\n${message}`,
};

/** The value of x-signature, and the text that it signs. */
export function signCall({ privateKey, body, message, covers }) {
  const text = signedTexts[covers](body, message);
  const bytes = new TextEncoder().encode(text);
  const signature = secp256k1.sign(bytes, readPrivateKey(privateKey), { format: 'der' });
  const header = `${btoa(String.fromCharCode(...signature))}\\n${message}`;
  return { header, text, length: bytes.length };
}

/** The 32 bytes of a private key in PEM: RFC 5915, alone or within PKCS #8. */
function readPrivateKey(pem) {
  if (pem.includes('ENCRYPTED'))
    throw new Error('The private key is encrypted. Decrypt it: openssl ec -in private-key.pem');
  const [, base64] = /-----BEGIN (?:EC )?PRIVATE KEY-----([^-]+)-----END/.exec(pem) ?? [];
  if (base64 === undefined)
    throw new Error('Paste the private key as PEM, from BEGIN to END PRIVATE KEY.');
  const der = Array.from(atob(base64.replace(/\s/g, '')), (one) => one.charCodeAt(0));
  const hex = der.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (!hex.includes(SECP256K1)) throw new Error('The private key is not one on secp256k1.');
  // Version 1, then the number in 32 bytes.
  const [, number] = /0201010420([0-9a-f]{64})/.exec(hex) ?? [];
  if (number === undefined) throw new Error('The private key is damaged: copy the file again.');
  return Uint8Array.from(number.match(/../g), (byte) => Number.parseInt(byte, 16));
}

/** The object identifier of the curve in DER. */
const SECP256K1 = '06052b8104000a';
