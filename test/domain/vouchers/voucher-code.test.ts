import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatVoucherCode,
  parseVoucherCode,
  voucherCodeFromRandom,
} from '../../../src/domain/vouchers/voucher.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codes = fc
  .uint8Array({ minLength: 14, maxLength: 14 })
  .map((bytes) => voucherCodeFromRandom(bytes));

describe('voucherCodeFromRandom begins with the cell', () => {
  it.each([
    ['zeros', new Uint8Array(14), '0000000000000000'],
    ['the first bytes', Uint8Array.from({ length: 14 }, (_, i) => i + 1), '0123456789ABCDEZ'],
    ['the upper three bits left out', new Uint8Array(14).fill(0b1110_0001), '011111111111111B'],
  ])('of %s', (_, bytes, code) => {
    expect(voucherCodeFromRandom(bytes)).toBe(code);
  });

  it.each([0, 13, 15])('refuses %i bytes', (length) => {
    expect(() => voucherCodeFromRandom(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('parseVoucherCode', () => {
  it('reads every code however it is written', () => {
    fc.assert(
      fc.property(codes, (code) => {
        const shown = formatVoucherCode(code);
        expect(shown).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
        const written = [
          code,
          shown,
          shown.toLowerCase(),
          ` ${shown.replaceAll('-', ' ')}\n`,
          [...code].join(' '),
          shown.replaceAll('-', '\u2013'),
          code.replaceAll('0', 'O').replaceAll('1', 'I'),
          code.replaceAll('0', 'o').replaceAll('1', 'l'),
        ];
        for (const text of written) expect(parseVoucherCode(text)).toBe(code);
      }),
    );
  });

  it('finds every single wrong character', () => {
    const position = fc.nat(15);
    const shift = fc.integer({ min: 1, max: 31 });
    fc.assert(
      fc.property(codes, position, shift, (code, index, by) => {
        const wrong = ALPHABET[(ALPHABET.indexOf(code.charAt(index)) + by) % 32];
        const text = code.slice(0, index) + wrong + code.slice(index + 1);
        expect(parseVoucherCode(text)).toBeUndefined();
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['15 characters', '000000000000000'],
    ['17 characters', '00000000000000000'],
    ['a wrong check character', '0000000000000001'],
    ['the letter U', '000000000000000U'],
    ['swapped neighbours', '0123456789ABCEDZ'],
    ['full-width digits', '００００００００００００００００'],
    ['a letter whose capital is in the alphabet', 'ſ00000000000000D'],
    ['other punctuation', '0000.0000.0000.0000'],
    ['NUL', '0000000000000000\0'],
    ['a long text', '0'.repeat(50_000)],
    ['a long text of spaces', `${' '.repeat(50_000)}0000000000000000`],
  ])('refuses %s', (_, text) => {
    expect(parseVoucherCode(text)).toBeUndefined();
  });
});
