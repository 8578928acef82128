import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, it } from 'vitest';
import {
  diagnoseSignature,
  REVOKED_KEY,
  signatureMistakes,
} from '../../../src/http/signature/diagnose-signature.ts';
import { parsePublicKey } from '../../../src/http/signature/public-key.ts';
import { verifySignature } from '../../../src/http/signature/verify-signature.ts';

const message = '2026-01-01T12:00:00Z';
const fields = {
  voucherCode: '0000-0000-0000-0001',
  amount: 12.5,
  idempotencyKey: 'order/7',
  metadata: 'ቡና "x": [1, 2]',
};
const body = JSON.stringify(fields).replace('{', '{ ');

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  return {
    privateKey,
    publicKey: parsePublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  };
};
const merchant = pair();
const other = pair();

const signed = (bytes: string | Uint8Array, hash = 'sha256', key = merchant.privateKey) =>
  sign(hash, Buffer.from(bytes), { key, dsaEncoding: 'ieee-p1363' });

/** What the service says to a signature that does not match. */
function diagnose(
  signature: Uint8Array,
  change: { body?: string; valid?: KeyObject[]; revoked?: KeyObject[] } = {},
) {
  const { valid = [merchant.publicKey], revoked = [] } = change;
  const check = verifySignature({
    header: `${Buffer.from(signature).toString('base64')}\\n${message}`,
    body: Buffer.from(change.body ?? body),
    publicKeys: valid,
    now: Date.parse(message),
  });
  if (check.ok) throw new Error('The signature was accepted');
  if (!check.unmatched) throw new Error(check.reason);
  return diagnoseSignature(check.unmatched, valid, async (limit) => revoked.slice(0, limit));
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const right = `${body}\n${message}`;
const python =
  '{"voucherCode": "0000-0000-0000-0001", "amount": 12.5, "idempotencyKey": "order/7", ' +
  '"metadata": "\\u1261\\u1293 \\"x\\": [1, 2]"}';
const php =
  '{"voucherCode":"0000-0000-0000-0001","amount":12.5,"idempotencyKey":"order\\/7",' +
  '"metadata":"\\u1261\\u1293 \\"x\\": [1, 2]"}';

/** What merchants sign, and a part of the explanation. */
const cases: [string, Uint8Array, RegExp, string?][] = [
  ['backslash and n', signed(`${body}\\n${message}`), /two characters \\n/],
  ['no separator', signed(`${body}${message}`), /without a line feed/],
  ['the message first', signed(`${message}\n${body}`), /before the body/],
  ['the message first, unseparated', signed(`${message}${body}`), /before the body/],
  ['the message alone', signed(message), /message was signed alone/],
  ['CR LF between them', signed(`${body}\r\n${message}`), /carriage return/],
  ['a body with a line feed at its end', signed(`${body}\n`), /line feed was signed after/],
  ['what echo prints', signed(`${right}\n`), /line feed was signed after/],
  ['a file with its last line feed', signed(`${body}\n\n${message}`), /line feed was signed after/],
  ['a body without its last line feed', signed(right), /other line breaks/, `${body}\n`],
  ['a body with CR LF', signed('{\r\n}'), /other line breaks/, '{\n}'],
  ['a body with LF', signed(`{\n}\n${message}`), /other line breaks/, '{\r\n}'],
  ['compact JSON', signed(`${JSON.stringify(fields)}\n${message}`), /compact form/],
  ['compact JSON alone', signed(JSON.stringify(fields)), /compact form/],
  ['what json_encode of PHP writes', signed(`${php}\n${message}`), /other escapes/],
  ['what json.dumps writes', signed(`${python}\n${message}`), /json\.dumps/],
  ['JSON with indentation', signed(`${JSON.stringify(fields, null, 2)}\n${message}`), /indent/],
  ['JSON with more of it', signed(JSON.stringify(fields, null, 4)), /indentation/],
  ['a digest', signed(digest(right)), /hashed twice/],
  ['a digest of the body', signed(digest(body)), /hashed twice/],
  ['a digest in hex', signed(digest(right).toString('hex')), /hashed twice/],
  ['a digest in base64', signed(digest(right).toString('base64')), /hashed twice/],
  ['an empty body', signed(`\n${message}`), /empty body/],
  ['nothing', signed(''), /empty body/],
  ['by SHA-1', signed(right, 'sha1'), /SHA-1,/],
  ['by SHA-512', signed(body, 'sha512'), /SHA-512:/],
  ['by SHA-384', signed(right, 'sha384'), /SHA-384:/],
  [
    'by Keccak-256',
    secp256k1.sign(
      keccak_256(Buffer.from(right)),
      Buffer.from(merchant.privateKey.export({ format: 'jwk' }).d ?? '', 'base64url'),
      { prehash: false },
    ),
    /Keccak-256/,
  ],
];

describe('diagnoseSignature', () => {
  it.each(cases)('explains a signature over %s', async (_, signature, explanation, sent) => {
    expect(await diagnose(signature, sent ? { body: sent } : {})).toMatch(explanation);
  });

  it('has a case for each mistake', () => {
    const untried = signatureMistakes.filter(
      ({ explanation }) => !cases.some(([, , expected]) => expected.test(explanation)),
    );
    expect(untried).toEqual([]);
  });

  it('tries each key of the merchant', async () => {
    const signature = signed(`${body}${message}`);
    const keys = [other.publicKey, merchant.publicKey];
    expect(await diagnose(signature, { valid: keys })).toMatch(/without a line feed/);
  });

  it.each([right, body])('names a key that was revoked', async (bytes) => {
    const change = { valid: [other.publicKey], revoked: [pair().publicKey, merchant.publicKey] };
    expect(await diagnose(signed(bytes), change)).toBe(REVOKED_KEY);
  });

  it('finds no cause, and does not fail, where the revoked keys cannot be read', async () => {
    const { publicKey } = other;
    const check = diagnoseSignature(
      { body: Buffer.from(body), message: Buffer.from(message), signature: signed(right) },
      [publicKey],
      () => Promise.reject(new Error('No database')),
    );
    expect(await check).toBeUndefined();
  });

  it.each([
    ['of another key', signed(`${body}${message}`, 'sha256', other.privateKey)],
    ['of another body', signed(right.replace('12.5', '13.5'))],
    ['of another message', signed(right.replace('12:00', '12:01'))],
  ])('explains no signature %s', async (_, signature) => {
    expect(await diagnose(signature, { revoked: [pair().publicKey] })).toBeUndefined();
  });

  it('survives bodies that are no JSON, deep, and large', async () => {
    for (const hostile of ['{', '['.repeat(60_000), `{"a":"${'x'.repeat(60_000)}"}`, '\0\n\r\n'])
      expect(await diagnose(signed(right), { body: hostile })).toBeUndefined();
  });
});
