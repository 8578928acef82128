import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePublicKey, publicKeyFingerprint } from '../../../src/http/signature/public-key.ts';
import { openSsl, openSslKeys } from '../../support/openssl.ts';

const folder = mkdtempSync(join(tmpdir(), 'public-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

const merchant = openSslKeys(folder, 'merchant');
const pem = merchant.publicPem();
const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' });
const uncompressed = spki.subarray(-65);
const compressed = Buffer.from(secp256k1.Point.fromBytes(uncompressed).toBytes(true));
const privatePem = readFileSync(merchant.file, 'utf8');
const parameters = openSsl(['ecparam', '-name', 'secp256k1']).toString();

const armoured = (der: Uint8Array) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(der).toString('base64')}\n-----END PUBLIC KEY-----\n`;

const changed = (bytes: Uint8Array, index: number, change: (byte: number) => number) => {
  const copy = Buffer.from(bytes);
  const position = index < 0 ? copy.length + index : index;
  copy.writeUInt8(change(copy.readUInt8(position)), position);
  return copy;
};

it.each([
  ['as openssl writes it', pem],
  ['with spaces around it', `\n  ${pem}\n\n`],
  ['with the line breaks of Windows', pem.replaceAll('\n', '\r\n')],
  ['behind a byte order mark', `\uFEFF${pem}`],
  ['in one line', pem.replaceAll('\n', ' ')],
  ['with line breaks as in JSON', JSON.stringify(pem)],
  ['in compressed form', merchant.publicPem('-conv_form', 'compressed')],
  ['in hybrid form', merchant.publicPem('-conv_form', 'hybrid')],
  ['with explicit parameters', merchant.publicPem('-param_enc', 'explicit')],
  [
    'with explicit parameters, compressed',
    merchant.publicPem('-param_enc', 'explicit', '-conv_form', 'compressed'),
  ],
  ['behind a block of parameters', `${parameters}${pem}`],
  ['behind its explanation', merchant.publicPem('-text')],
  ['as Java prints getEncoded()', spki.toString('base64')],
  ['as base64 in lines', spki.toString('base64').replace(/.{64}/g, '$&\r\n')],
  ['as base64url', spki.toString('base64url')],
  ['as DER in hex', spki.toString('hex')],
  ['as a point in hex', uncompressed.toString('hex')],
  ['as a point in upper-case hex', uncompressed.toString('hex').toUpperCase()],
  ['as a point in base64', uncompressed.toString('base64')],
  ['as a compressed point in hex', compressed.toString('hex')],
  ['as a compressed point in base64', compressed.toString('base64')],
])('a key %s is read', (_, text) => {
  const key = parsePublicKey(text);
  expect(key.equals(createPublicKey(pem))).toBe(true);
  expect(key.export({ type: 'spki', format: 'der' })).toEqual(spki);
});

it('has the fingerprint that openssl prints, in whatever form it came', () => {
  const digest = openSsl(['dgst', '-sha256', '-r'], spki).toString().slice(0, 64);
  for (const text of [pem, merchant.publicPem('-conv_form', 'compressed')])
    expect(publicKeyFingerprint(parsePublicKey(text))).toBe(digest);
});

const publicPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = JSON.stringify(createPublicKey(pem).export({ format: 'jwk' }));
const certificate = () => {
  const name = ['-subj', '/CN=merchant'];
  return openSsl(['req', '-new', '-x509', '-key', merchant.file, ...name]).toString();
};
const privateDer = (type: 'pkcs8' | 'sec1') =>
  generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({ type, format: 'der' });
const atInfinity = Buffer.from('3016301006072a8648ce3d020106052b8104000a03020000', 'hex');
const explicit = createPublicKey(merchant.publicPem('-param_enc', 'explicit')).export({
  type: 'spki',
  format: 'der',
});

const noKey = /not a public key|no whole block/;
const damaged = /damaged/;
const isPrivate = /private key, which must stay secret/;

describe('refused is', () => {
  it.each<[string, string, RegExp]>([
    ['nothing', '', noKey],
    ['no PEM', 'public key', noKey],
    ['a JWK', jwk, noKey],
    ['a block without its end', pem.slice(0, -10), noKey],
    ['a block of parameters alone', parameters, noKey],
    ['a key of OpenSSH', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI user@host', noKey],
    ['a long text', armoured(Buffer.alloc(8_192)), /too long/],
    ['a private key', privatePem, isPrivate],
    ['a private key behind parameters', `${parameters}${privatePem}`, isPrivate],
    ['a private key behind the public one', `${pem}${privatePem}`, isPrivate],
    ['a private key without armour', privateDer('pkcs8').toString('base64'), isPrivate],
    ['a private key of SEC 1 without armour', privateDer('sec1').toString('hex'), isPrivate],
    ['a certificate', certificate(), /certificate.*openssl x509/],
    ['two keys', `${pem}${pem}`, /several/],
    ['a key on P-256', openSslKeys(folder, 'p256', 'prime256v1').publicPem(), /P-256.*secp256k1/],
    [
      'a key on P-256 with explicit parameters',
      openSslKeys(folder, 'explicit', 'prime256v1').publicPem('-param_enc', 'explicit'),
      /another curve.*secp256k1/,
    ],
    ['a key on P-384', openSslKeys(folder, 'p384', 'secp384r1').publicPem(), /P-384/],
    [
      'a key on brainpoolP256r1',
      openSslKeys(folder, 'brainpool', 'brainpoolP256r1').publicPem(),
      /brainpoolP256r1/,
    ],
    [
      'a key on secp256k1’s neighbour',
      openSslKeys(folder, 'k1', 'secp224k1').publicPem(),
      /another/,
    ],
    ['an Ed25519 key', publicPem(generateKeyPairSync('ed25519').publicKey), /Ed25519/],
    ['an RSA key', publicPem(rsa.publicKey), /RSA/],
    [
      'an RSA key of PKCS #1',
      rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      noKey,
    ],
    [
      'explicit parameters with another generator',
      armoured(changed(explicit, 170, (b) => b ^ 1)),
      /another curve/,
    ],
    ['broken base64', pem.replace('MFYw', 'MF_w'), damaged],
    ['a key with a byte too many', armoured(Buffer.concat([spki, Buffer.alloc(1)])), damaged],
    ['a key cut off', armoured(spki.subarray(0, -1)), damaged],
    ['a point cut off', uncompressed.subarray(0, -1).toString('hex'), noKey],
    ['a point off the curve', armoured(changed(spki, -1, (byte) => byte ^ 1)), damaged],
    ['a point with the wrong sign', changed(uncompressed, 0, () => 5).toString('hex'), damaged],
    ['a compressed point off the curve', `02${'00'.repeat(31)}05`, damaged],
    ['a coordinate above the field', `02${'ff'.repeat(32)}`, damaged],
    ['the point at infinity', armoured(atInfinity), damaged],
    ['the point at infinity alone', '00', noKey],
  ])('%s', (_, text, reason) => {
    expect(() => parsePublicKey(text)).toThrow(RangeError);
    expect(() => parsePublicKey(text)).toThrow(reason);
  });
});

it('never ends the process, whatever the bytes', () => {
  const mutations = fc.array(fc.tuple(fc.nat(spki.length - 1), fc.nat(255)), { maxLength: 4 });
  fc.assert(
    fc.property(mutations, fc.constantFrom(spki, explicit), (changes, original) => {
      const bytes = changes.reduce<Buffer>((all, [at, to]) => changed(all, at, () => to), original);
      try {
        expect(parsePublicKey(armoured(bytes)).asymmetricKeyType).toBe('ec');
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
