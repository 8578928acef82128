import { readFileSync } from 'node:fs';

/** Ranks of common passwords, the most common first; see common-passwords.LICENSE.txt. */
const ranks: ReadonlyMap<string, number> = new Map(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((password, index) => [password, index + 2]),
);

const LONGEST_PART = 40;
const SHORTEST_WORD = 4;
const SHORTEST_PATTERN = 3;

/** Bits that each kind of part adds against an attacker who guesses by rule. */
const BITS = { character: 5.5, digit: 3.4, own: 4, run: 7, again: 5, disguise: 1 } as const;

/** Neighbouring keys, digits and letters; each also in reverse. */
const ROWS = ['1234567890', '0123456789', 'abcdefghijklmnopqrstuvwxyz']
  .concat(['qwertyuiop', 'asdfghjkl', 'zxcvbnm', '1qaz2wsx3edc4rfv5tgb6yhn', 'qazwsxedcrfvtgb'])
  .flatMap((row) => [row, [...row].toReversed().join('')]);

const DISGUISES: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' },
};

/**
 * Bits that an attacker has to guess who first tries combinations of common passwords, rows of
 * keys, digits, repetitions and known words of the person (`ownWords`).
 */
export function guessBits(password: string, ownWords: readonly string[]): number {
  const plain = password.toLowerCase();
  const undisguised = [...plain].map((character) => DISGUISES[character] ?? character).join('');
  const own = new Set(ownWords.map((word) => word.toLowerCase()));
  /** Index n: the cheapest way to guess the first n characters. */
  const least = [0];
  for (let end = 1; end <= plain.length; end += 1) {
    const last = plain.charAt(end - 1);
    let bits = (least[end - 1] ?? 0) + (/\d/.test(last) ? BITS.digit : BITS.character);
    for (let start = Math.max(0, end - LONGEST_PART); start <= end - SHORTEST_PATTERN; start += 1) {
      const part = partBits(plain.slice(start, end), plain.slice(0, start), own);
      const disguised = wordBits(undisguised.slice(start, end), own) + BITS.disguise;
      bits = Math.min(bits, (least[start] ?? 0) + Math.min(part, disguised));
    }
    least.push(bits);
  }
  return least.at(-1) ?? 0;
}

function partBits(part: string, before: string, own: ReadonlySet<string>): number {
  const isRun = new Set(part).size === 1 || ROWS.some((row) => row.includes(part));
  if (isRun) return BITS.run;
  return Math.min(
    before.includes(part) ? BITS.again : Number.POSITIVE_INFINITY,
    wordBits(part, own),
  );
}

function wordBits(word: string, own: ReadonlySet<string>): number {
  if (own.has(word)) return BITS.own;
  const rank = word.length >= SHORTEST_WORD ? ranks.get(word) : undefined;
  return rank === undefined ? Number.POSITIVE_INFINITY : Math.log2(rank);
}
