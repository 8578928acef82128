import { plainCopy } from '../copied-text.ts';

/**
 * Crockford's base32. It has no I, L, O and U, so that people can read a code aloud and copy it.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = ALPHABET.length;
const RANDOM_CHARACTERS = 15;
/** Sixteen characters with a separator after each, plus some spaces. */
const MAX_WRITTEN_LENGTH = 64;
const CODE = new RegExp(`^[${ALPHABET}]{${RANDOM_CHARACTERS + 1}}$`);

/**
 * Makes a voucher code (design 5) of 15 random bytes, 5 bits of each: 75 random bits and a check
 * character. Throws a RangeError for any other number of bytes.
 */
export function voucherCodeFromRandom(bytes: Uint8Array): string {
  if (bytes.length !== RANDOM_CHARACTERS) throw new RangeError('A voucher code needs 15 bytes.');
  const random = Array.from(bytes, (byte) => ALPHABET.charAt(byte % BASE)).join('');
  return random + checkCharacter(random);
}

/** "XXXX-XXXX-XXXX-XXXX", as people and API callers see it. */
export function formatVoucherCode(code: string): string {
  return (code.match(/.{4}/g) ?? []).join('-');
}

/**
 * Reads a code as people write it: case, spaces and hyphens are ignored, O is 0, I and L are 1.
 * Answers the 16 canonical characters, or undefined where the check character is wrong.
 */
export function parseVoucherCode(text: string): string | undefined {
  if (text.length > MAX_WRITTEN_LENGTH) return undefined;
  const code = plainCopy(text)
    .replace(/[ -]/g, '')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  if (!CODE.test(code)) return undefined;
  const random = code.slice(0, RANDOM_CHARACTERS);
  return code === random + checkCharacter(random) ? code : undefined;
}

/** Luhn mod 32: detects every wrong character and nearly every swap of neighbours. */
function checkCharacter(random: string): string {
  let sum = 0;
  for (let index = 0; index < random.length; index += 1) {
    const value = ALPHABET.indexOf(random.charAt(random.length - 1 - index));
    const weighted = index % 2 === 0 ? value * 2 : value;
    sum += Math.floor(weighted / BASE) + (weighted % BASE);
  }
  return ALPHABET.charAt((BASE - (sum % BASE)) % BASE);
}
