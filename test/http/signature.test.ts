import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, describe, expect, it } from 'vitest';
import { checkFreshness, parsePublicKeyPem, verifySignature } from '../../src/http/signature.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'signature-'));
afterAll(() => rmSync(folder, { recursive: true }));

const openssl = (args: string[], input?: Buffer) =>
  execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'ignore'] });

/** Keys and signatures exactly as a merchant makes them on the command line. */
function openSslKeys(name: string, curve = 'secp256k1') {
  const file = join(folder, `${name}.pem`);
  openssl(['ecparam', '-name', curve, '-genkey', '-noout', '-out', file]);
  const publicPem = openssl(['ec', '-in', file, '-pubout']).toString();
  const sign = (bytes: Buffer) => openssl(['dgst', '-sha256', '-sign', file], bytes);
  return { file, publicPem, sign };
}

const merchant = openSslKeys('merchant');
const other = openSslKeys('other');
const key = parsePublicKeyPem(merchant.publicPem);
const otherKey = parsePublicKeyPem(other.publicPem);

const body = Buffer.from('{"voucherCode":"0000-0000-0000-0000","idempotencyKey":"k-1"}');
const time = '2026-01-01T11:59:00Z';
const signBody = (keys = merchant) => keys.sign(body).toString('base64');
const signBoth = (message: string, keys = merchant) =>
  keys.sign(Buffer.concat([body, Buffer.from(`\n${message}`, 'latin1')])).toString('base64');

function check(
  header: string | undefined,
  change: { body?: Buffer; publicKeys?: KeyObject[] } = {},
) {
  const request = { body, publicKeys: [key], now: NOW, windowSeconds: 300, ...change };
  return verifySignature({ ...request, header });
}

/** As Node.js hands the bytes of a header on. */
const utf8 = Buffer.from('ሰላም').toString('latin1');

/** The same signature with s on the other side of the group's order. */
function twin(signature: string): string {
  const { r, s } = secp256k1.Signature.fromBytes(Buffer.from(signature, 'base64'), 'der');
  const flipped = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s);
  return Buffer.from(flipped.toBytes('der')).toString('base64');
}

describe('verifySignature', () => {
  it.each([
    ['body and time', `${signBoth(time)}\\n${time}`, time, 'body-and-message', 'time'],
    ['body and id', `${signBoth('order-7')}\\norder-7`, 'order-7', 'body-and-message', 'id'],
    ['body alone with a time', `${signBody()}\\n${time}`, time, 'body', 'time'],
    ['body alone with an id', `${signBody()}\\norder-7`, 'order-7', 'body', 'id'],
    [
      'a message with the separator',
      `${signBoth('a\\nb')}\\na\\nb`,
      'a\\nb',
      'body-and-message',
      'id',
    ],
    ['a message of Latin-1', `${signBoth('é')}\\né`, 'é', 'body-and-message', 'id'],
    ['a message of UTF-8', `${signBoth(utf8)}\\n${utf8}`, utf8, 'body-and-message', 'id'],
    ['%0A', `${signBoth(time)}%0A${time}`, time, 'body-and-message', 'time'],
    ['base64', btoa(`${signBoth(time)}\n${time}`), time, 'body-and-message', 'time'],
    ['the other half of s', `${twin(signBoth(time))}\\n${time}`, time, 'body-and-message', 'time'],
    ['no padding', `${signBody().replace(/=+$/, '')}\\nx`, 'x', 'body', 'id'],
  ])('accepts %s', (_, header, message, covers, messageKind) => {
    expect(check(header)).toEqual({ ok: true, message, covers, messageKind });
  });

  it('accepts low and high s alike', () => {
    for (let round = 0; round < 8; round += 1) {
      const signature = signBody();
      expect(check(`${signature}\\nx`).ok && check(`${twin(signature)}\\nx`).ok).toBe(true);
    }
  });

  it('accepts any registered key, as while keys are exchanged', () => {
    const header = `${signBoth(time)}\\n${time}`;
    expect(check(header, { publicKeys: [otherKey, key] }).ok).toBe(true);
    expect(check(header, { publicKeys: [otherKey] }).ok).toBe(false);
  });

  it('checks the bytes and not their text', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d]);
    const header = `${merchant.sign(bytes).toString('base64')}\\nx`;
    expect(check(header, { body: bytes }).ok).toBe(true);
    expect(check(header, { body: Buffer.from(bytes.toString('utf8')) }).ok).toBe(false);
  });

  const signature = signBoth(time);
  const raw = Buffer.from(signature, 'base64');
  it.each([
    ['no header', undefined, /missing/],
    ['an empty header', '', /missing/],
    ['no message', signature, /backslash/],
    ['an empty message', `${signature}\\n`, /printable/],
    ['a message of spaces', `${signature}\\n  `, /printable/],
    ['a message with a line break', btoa(`${signature}\n${time}\n`), /printable/],
    ['a long message', `${signature}\\n${'x'.repeat(201)}`, /printable/],
    ['a huge header', 'x'.repeat(1_000_000), /too long/],
    ['no signature', `\\n${time}`, /DER/],
    ['a signature in hex', `${raw.toString('hex')}\\n${time}`, /DER/],
    ['a signature cut short', `${raw.subarray(0, -1).toString('base64')}\\n${time}`, /DER/],
    [
      'a byte too many',
      `${Buffer.concat([raw, raw.subarray(0, 1)]).toString('base64')}\\n${time}`,
      /DER/,
    ],
    ['base64 on two lines', `${signature.slice(0, 64)}\\n${signature.slice(64)}\\n${time}`, /DER/],
    [
      'r and s of zero',
      `${Buffer.from('3006020100020100', 'hex').toString('base64')}\\n${time}`,
      /DER/,
    ],
    ['another message', `${signature}\\n2026-01-01T11:58:00Z`, /neither/],
    ['an id in place of the time', `${signature}\\norder-7`, /neither/],
    ['another key', `${signBoth(time, other)}\\n${time}`, /neither/],
    ['an old time', `${signBoth('2026-01-01T11:54:59Z')}\\n2026-01-01T11:54:59Z`, /300 s/],
    ['a time ahead', `${signBody()}\\n2026-01-01T12:05:01Z`, /300 s/],
  ])('refuses %s', (_, header, reason) => {
    expect(check(header)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it.each([
    ['one byte changed', Buffer.from(body.toString().replace('k-1', 'k-2'))],
    ['a space more', Buffer.concat([body, Buffer.from(' ')])],
    ['a byte less', body.subarray(0, -1)],
    ['nothing', Buffer.alloc(0)],
    ['the message moved into it', Buffer.concat([body, Buffer.from(`\n${time}x`)])],
  ])('refuses a body with %s', (_, changed) => {
    expect(check(`${signBoth(time)}\\n${time}`, { body: changed }).ok).toBe(false);
    expect(check(`${signBody()}\\n${time}`, { body: changed }).ok).toBe(false);
  });

  it('refuses everything while no key is registered', () => {
    const answer = check(`${signBoth(time)}\\n${time}`, { publicKeys: [] });
    expect(answer).toEqual({ ok: false, reason: expect.stringMatching(/registered/) });
  });

  /** From Project Wycheproof, ecdsa_secp256k1_sha256_test.json 0.9rc5, all over "123400". */
  const firstKey =
    'uDj/ROW8F3vyEYnQdmCC/J2EMiaIf8l2A3EQC37iCm/wyddb+6ezGmvKGXRJbutW3jVwcZVdg8Sxutqgshgy6Q==';
  const secondKey =
    'BzEPkKnq4UmghAL1QZSg97SsQnv42b1sdoEHHcR9w2ImptN6xG1h/WAMC/G/+HaJ7RF92msOWTGK4BChl6JsoA==';
  it.each([
    [
      '5: high s',
      firstKey,
      '3046022100813ef79ccefa9a56f7ba805f0e478584fe5f0dd5f567bc09b5123ccbc9832365022100900e75ad233fcc908509dbff5922647db37c21f4afd3203ae8dc4ae7794b0f87',
      true,
    ],
    [
      '6: r without its leading zero',
      firstKey,
      '30440220813ef79ccefa9a56f7ba805f0e478584fe5f0dd5f567bc09b5123ccbc983236502206ff18a52dcc0336f7af62400a6dd9b810732baf1ff758000d6f613a556eb31ba',
      false,
    ],
    [
      '8: a length in its long form',
      firstKey,
      '308145022100813ef79ccefa9a56f7ba805f0e478584fe5f0dd5f567bc09b5123ccbc983236502206ff18a52dcc0336f7af62400a6dd9b810732baf1ff758000d6f613a556eb31ba',
      false,
    ],
    [
      '350: a large x coordinate',
      secondKey,
      '30360211014551231950b75fc4402da1722fc9baeb022100fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd036413e',
      true,
    ],
    [
      '351: r too large',
      secondKey,
      '3046022100fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2c022100fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd036413e',
      false,
    ],
  ])('decides Wycheproof case %s', (_, point, der, isValid) => {
    const base64 = `MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE${point}`;
    const pem = `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
    const header = `${Buffer.from(der, 'hex').toString('base64')}\\nx`;
    const publicKeys = [parsePublicKeyPem(pem)];
    expect(check(header, { body: Buffer.from('123400'), publicKeys }).ok).toBe(isValid);
  });
});

describe('parsePublicKeyPem', () => {
  const inForm = (form: string) =>
    openssl(['ec', '-in', merchant.file, '-pubout', '-conv_form', form]).toString();
  it.each([
    ['as openssl writes it', merchant.publicPem],
    ['with spaces around it', `\n${merchant.publicPem}\n\n`],
    ['with the line breaks of Windows', merchant.publicPem.replaceAll('\n', '\r\n')],
    ['in compressed form', inForm('compressed')],
  ])('reads a key %s', (_, pem) => {
    expect(parsePublicKeyPem(pem).equals(createPublicKey(merchant.publicPem))).toBe(true);
  });

  const pem = (publicKey: KeyObject) =>
    publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const privatePem = openssl(['ec', '-in', merchant.file]).toString();
  const offCurve = () => {
    const der = createPublicKey(merchant.publicPem).export({ type: 'spki', format: 'der' });
    der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
    return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`;
  };
  it.each([
    ['nothing', ''],
    ['no PEM', 'public key'],
    ['a private key', privatePem],
    ['a private key behind the public one', `${privatePem}${merchant.publicPem}`],
    ['broken base64', merchant.publicPem.replace('MFYw', 'MF_w')],
    ['a point off the curve', offCurve()],
    ['a key on P-256', openSslKeys('p256', 'prime256v1').publicPem],
    ['an Ed25519 key', pem(generateKeyPairSync('ed25519').publicKey)],
    ['an RSA key', pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)],
    ['a long text', `-----BEGIN PUBLIC KEY-----${'A'.repeat(50_000)}`],
  ])('refuses %s', (_, text) => {
    expect(() => parsePublicKeyPem(text)).toThrow(RangeError);
  });
});

describe('checkFreshness', () => {
  it.each([
    ['2026-01-01T12:00:00Z', 'time'],
    ['2026-01-01T12:00:00.123Z', 'time'],
    ['2026-01-01T12:00:00.123456789Z', 'time'],
    ['2026-01-01T12:00Z', 'time'],
    ['2026-01-01T12:00:00', 'time'],
    ['2026-01-01t12:00:00z', 'time'],
    ['20260101T120000Z', 'time'],
    ['2026-01-01T15:00:00+03:00', 'time'],
    ['2026-01-01T15:00:00+0300', 'time'],
    ['2026-01-01T11:55:00Z', 'time'],
    ['2026-01-01T12:05:00Z', 'time'],
    [String(NOW), 'time'],
    [String(NOW / 1_000), 'time'],
    ['2026-01-01T11:54:59Z', 'stale'],
    ['2026-01-01T12:05:01Z', 'stale'],
    ['2026-01-01T12:00:00+03:00', 'stale'],
    ['1999-01-01T12:00:00Z', 'stale'],
    ['1234567890', 'stale'],
    ['1234567890123', 'stale'],
    ['2026-01-01', 'id'],
    ['2026-13-41T12:00:00Z', 'id'],
    ['12:00:00', 'id'],
    ['123456789', 'id'],
    ['12345678901', 'id'],
    ['١٧٦٧٢٦٨٨٠٠', 'id'],
    [` ${NOW}`, 'id'],
    ['0b9d1a3e-1f2c-4c57-9f5a-0d8c3f5f9a11', 'id'],
    ['order-7', 'id'],
  ])('takes %s for %s', (message, kind) => {
    expect(checkFreshness(message, NOW, 300)).toBe(kind);
  });
});
