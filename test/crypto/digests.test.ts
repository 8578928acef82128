import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDigests } from '../../src/crypto/digests.ts';

const key = Buffer.alloc(32, 7);
const digests = createDigests({ digestKey: key });
const operation = { company: { kind: 'partner', id: 1 }, kind: 'generate-voucher', key: 'abc' };

describe('digests', () => {
  it('are HMAC-SHA256 over the domain and the parts with their lengths', () => {
    const expected = createHmac('sha256', key).update('voucher-code\u000016:0000000000000000');
    expect(digests.voucherCode('0000000000000000')).toEqual(expected.digest());
  });

  it('are the same for the same input and key only', () => {
    const again = createDigests({ digestKey: Buffer.alloc(32, 7) });
    const other = createDigests({ digestKey: Buffer.alloc(32, 8) });
    expect(again.apiKey('x')).toEqual(digests.apiKey('x'));
    expect(other.apiKey('x')).not.toEqual(digests.apiKey('x'));
    expect(again.operation(operation)).toBe(digests.operation(operation));
    expect(digests.request(Buffer.from('{"ä":1}'))).toBe(digests.request('{"ä":1}'));
  });

  it('differ between kinds', () => {
    const all = [digests.apiKey('x'), digests.voucherCode('x')].map((bytes) =>
      bytes.toString('hex'),
    );
    all.push(digests.request('x'));
    expect(new Set(all).size).toBe(3);
  });

  it.each([
    ['owner kind', { company: { kind: 'merchant', id: 1 } }],
    ['owner', { company: { kind: 'partner', id: 2 } }],
    ['kind', { kind: 'redeem-voucher' }],
    ['key', { key: 'abd' }],
    ['border between two parts', { company: { kind: 'partner1', id: 1 } }],
  ])('of operations differ by %s', (_, change) => {
    expect(digests.operation(operation)).toMatch(/^[0-9a-f]{32}$/);
    expect(digests.operation({ ...operation, ...change })).not.toBe(digests.operation(operation));
  });

  it('of operations keep the parts apart', () => {
    const left = digests.operation({ ...operation, kind: 'ab', key: 'c' });
    const right = digests.operation({ ...operation, kind: 'a', key: 'bc' });
    expect(left).not.toBe(right);
  });

  it('of a verification code differ by voucher', () => {
    expect(digests.verificationCode('123456', 1)).toMatch(/^[0-9a-f]{64}$/);
    expect(digests.verificationCode('123456', 1)).not.toBe(digests.verificationCode('123456', 2));
    expect(digests.verificationCode('123456', 11)).not.toBe(digests.verificationCode('1234561', 1));
  });
});
