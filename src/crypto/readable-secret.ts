import { randomInt } from 'node:crypto';

/** Characters that people do not confuse when they read aloud or copy. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A secret that people copy or type once: 80 bits, in groups of four. */
export const readableSecret = (): string =>
  Array.from({ length: 4 }, () =>
    Array.from({ length: 4 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''),
  ).join('-');
