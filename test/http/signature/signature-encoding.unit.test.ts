import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { readSignatures } from '../../../src/http/signature/verify-signature.ts';

const { ORDER } = secp256k1.Point.Fn;
const signature = (r: bigint, s: bigint) => new secp256k1.Signature(r, s);

/** Its r has its highest bit set, so that DER puts a zero in front. */
const usual = signature(ORDER - 5n, ORDER / 3n);
const der = Buffer.from(usual.toBytes('der'));
const compact = Buffer.from(usual.toBytes('compact'));

const unpadded = (text: string) => text.replace(/=+$/, '');

describe.each([
  ['DER', der],
  ['64 bytes', compact],
])('%s', (_, bytes) => {
  it.each([
    ['base64', bytes.toString('base64')],
    ['base64 without padding', unpadded(bytes.toString('base64'))],
    ['base64url', bytes.toString('base64url')],
    ['base64url with padding', bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')],
    ['hex', bytes.toString('hex')],
    ['upper-case hex', bytes.toString('hex').toUpperCase()],
  ])('is read in %s', (_encoding, text) => {
    expect(readSignatures(text).map((one) => Buffer.from(one))).toEqual([compact]);
  });
});

it.each([
  ['low s', signature(1n, ORDER / 2n)],
  ['high s', signature(1n, ORDER / 2n + 1n)],
  ['the least', signature(1n, 1n)],
  ['the greatest', signature(ORDER - 1n, ORDER - 1n)],
])('%s is read in both forms', (_, one) => {
  for (const form of ['der', 'compact'] as const) {
    const text = Buffer.from(one.toBytes(form)).toString('base64');
    expect(readSignatures(text)).toEqual([one.toBytes('compact')]);
  }
});

it('every meaning of an ambiguous text counts', () => {
  // 43 bytes of DER in hex are 86 digits, as many as 64 bytes in base64 without padding.
  const short = signature(2n ** 135n + 5n, 2n ** 143n + 3n);
  const text = short.toHex('der');
  expect(text).toHaveLength(86);
  expect(readSignatures(text).map((one) => Buffer.from(one).toString('base64'))).toEqual([
    Buffer.from(short.toBytes('compact')).toString('base64'),
    Buffer.from(text, 'base64').toString('base64'),
  ]);
});

const number = (value: bigint) => {
  const hex = value.toString(16);
  return hex.length % 2 ? `0${hex}` : hex;
};
/** DER of two integers whose bytes are given in hex. */
const derOf = (...integers: string[]) => {
  const inner = integers.map((hex) => `02${number(BigInt(hex.length / 2))}${hex}`).join('');
  return `30${number(BigInt(inner.length / 2))}${inner}`;
};
const order = `00${number(ORDER)}`;
const compactOf = (r: bigint, s: bigint) =>
  [r, s].map((value) => value.toString(16).padStart(64, '0')).join('');

it.each([
  ['nothing', ''],
  ['a length in BER’s long form', der.toString('hex').replace(/^30/, '3081')],
  ['a length without end', `3080${der.toString('hex').slice(4)}0000`],
  ['a needless zero', derOf('0001', '01')],
  ['a negative r', derOf('ff', '01')],
  ['an empty r', derOf('', '01')],
  ['a byte behind', `${der.toString('hex')}00`],
  ['a third integer', derOf('01', '01', '01')],
  ['one integer', derOf('01')],
  ['r of 0', derOf('00', '01')],
  ['s of 0', derOf('01', '00')],
  ['r of the order', derOf(order, '01')],
  ['s of the order', derOf('01', order)],
  ['r of 0 in 64 bytes', compactOf(0n, 1n)],
  ['s of 0 in 64 bytes', compactOf(1n, 0n)],
  ['r of the order in 64 bytes', compactOf(ORDER, 1n)],
  ['s of the order in 64 bytes', compactOf(1n, ORDER)],
  ['63 bytes', compact.subarray(1).toString('hex')],
  ['65 bytes, as Bitcoin signs', `1b${compact.toString('hex')}`],
  ['66 bytes', Buffer.concat([compact, compact.subarray(0, 2)]).toString('base64')],
  ['an odd number of digits', der.toString('hex').slice(1)],
  ['a prefix', `0x${der.toString('hex')}`],
  ['a line break', `${der.toString('hex')}\n`],
  ['base64 that mixes the alphabets', 'MAYCAQECAQE-+/=='],
  ['base64 with too much padding', `${der.toString('base64')}=`],
  ['base64 with half of its padding', compact.toString('base64').slice(0, -1)],
  ['a digit too many', `${compact.toString('base64').replace('==', '')}AAA`],
  ['a long text', 'A'.repeat(1_000)],
])('%s is no signature', (_, text) => {
  expect(readSignatures(text)).toEqual([]);
});
