import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The address that a browser would show; passkeys belong to its host. */
export const SITE = 'http://localhost:3999';

/** What a wrong or dishonest device, browser or page would answer. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly counter?: number;
  /** Nobody has touched the device. */
  readonly isAbsent?: true;
  /** Another key than that of the passkey. */
  readonly hasOtherKey?: true;
  /** CBOR of the format of an attestation with its statement. */
  readonly attestation?: Buffer;
}

interface Options {
  readonly challenge: string;
}

/** The options that a page gives a browser for one of its two questions. */
export function optionsIn(html: string, asked: 'get' | 'create'): Options {
  const [, text = ''] =
    new RegExp(`data-passkey="${asked}" data-options="([^"]*)"`).exec(html) ?? [];
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url');

/** In CBOR: `fmt` none, and an empty `attStmt`. */
const NO_ATTESTATION = Buffer.concat([
  ...[Buffer.from('63', 'hex'), Buffer.from('fmt'), Buffer.from('64', 'hex'), Buffer.from('none')],
  ...[Buffer.from('67', 'hex'), Buffer.from('attStmt'), Buffer.from('a0', 'hex')],
]);

export type Authenticator = ReturnType<typeof makeAuthenticator>;

/** A device with one passkey (WebAuthn level 2, ES256), which counts its signatures. */
export function makeAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counted = 0;

  function authenticatorData(deviation: Deviation, attested: Buffer): Buffer {
    counted += 1;
    const rest = Buffer.alloc(5);
    rest[0] = (deviation.isAbsent ? 0 : 1) | (attested.length > 0 ? 0x40 : 0);
    rest.writeUInt32BE(deviation.counter ?? counted, 1);
    return Buffer.concat([sha256(deviation.rpId ?? new URL(SITE).hostname), rest, attested]);
  }

  const clientDataOf = (type: string, { challenge }: Options, deviation: Deviation) =>
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? SITE,
      crossOrigin: false,
    });

  const named = { id: base64url(id), rawId: base64url(id), type: 'public-key' };

  /** The answer to a page that makes a passkey, as its field has it. */
  function create(options: Options, deviation: Deviation = {}): string {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const coseKey = Buffer.concat([
      ...[Buffer.from('a5010203262001215820', 'hex'), Buffer.from(x, 'base64url')],
      ...[Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')],
    ]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey]);
    const data = authenticatorData(deviation, attested);
    const attestationObject = Buffer.concat([
      ...[Buffer.from('a3', 'hex'), deviation.attestation ?? NO_ATTESTATION],
      ...[Buffer.from('68', 'hex'), Buffer.from('authData'), Buffer.from([0x58, data.length])],
      data,
    ]);
    const clientDataJSON = base64url(clientDataOf('webauthn.create', options, deviation));
    return JSON.stringify({
      ...named,
      response: { clientDataJSON, attestationObject: base64url(attestationObject) },
    });
  }

  /** The answer to a page that asks for a passkey, as its field has it. */
  function get(options: Options, deviation: Deviation = {}): string {
    const data = authenticatorData(deviation, Buffer.alloc(0));
    const clientData = clientDataOf('webauthn.get', options, deviation);
    const signed = Buffer.concat([data, sha256(clientData)]);
    const key = deviation.hasOtherKey ? other.privateKey : privateKey;
    return JSON.stringify({
      ...named,
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', signed, key)),
      },
    });
  }

  return { id: named.id, create, get };
}
