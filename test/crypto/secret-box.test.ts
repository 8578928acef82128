import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../src/crypto/secret-box.ts';

const first = { id: 'k1', key: Buffer.alloc(32, 1) };
const second = { id: 'k2', key: Buffer.alloc(32, 2) };
const box = createSecretBox([first]);

describe('a secret box', () => {
  it.each(['', '123456', '0123456789ABCDEG', 'ሰላም 🎁', 'x'.repeat(10_000)])(
    'opens "%s"',
    (text) => {
      expect(box.open(box.seal(text, 'voucher 1'), 'voucher 1')).toBe(text);
    },
  );

  it('names its key, shows nothing and never repeats itself', () => {
    const sealed = box.seal('123456', 'voucher 1');
    expect(sealed).toMatch(/^k1\.[\w-]{46}$/);
    expect(box.seal('123456', 'voucher 1')).not.toBe(sealed);
  });

  it('seals with the first key and opens with all', () => {
    const rotated = createSecretBox([second, first]);
    expect(rotated.open(box.seal('a', 'c'), 'c')).toBe('a');
    expect(rotated.seal('a', 'c')).toMatch(/^k2\./);
  });

  it('opens what an earlier version has sealed', () => {
    const sealed = 'k1.tCkPjJch1v5Jv4g7IYYRwoFjSRGSxo-LDd3vdnqx1UzP5A';
    expect(box.open(sealed, 'voucher 1')).toBe('123456');
  });

  it('refuses another context', () => {
    expect(() => box.open(box.seal('123456', 'voucher 1'), 'voucher 2')).toThrow();
  });

  it('refuses every altered character', () => {
    const sealed = box.seal('123456', 'voucher 1');
    for (let index = 3; index < sealed.length; index += 1) {
      const other = sealed[index] === 'A' ? 'Q' : 'A';
      const altered = sealed.slice(0, index) + other + sealed.slice(index + 1);
      expect(() => box.open(altered, 'voucher 1')).toThrow();
    }
  });

  it.each([
    ['nothing', ''],
    ['an unknown key', createSecretBox([second]).seal('a', 'c')],
    ['another key under the same id', createSecretBox([{ ...second, id: 'k1' }]).seal('a', 'c')],
    ['only a key id', 'k1.'],
    ['a short box', 'k1.AAAA'],
  ])('refuses %s', (_, sealed) => {
    expect(() => box.open(sealed, 'c')).toThrow();
  });

  it.each([
    ['no key', []],
    ['a short key', [{ id: 'k1', key: Buffer.alloc(16) }]],
    ['two keys of one id', [first, { ...second, id: 'k1' }]],
    ['an id with a point', [{ ...first, id: 'k.1' }]],
  ])('is not made of %s', (_, keys) => {
    expect(() => createSecretBox(keys)).toThrow(RangeError);
  });
});
