const lengthLimit = 200;

/** Seven digits or more in any script and grouping. */
const numberLike = /\+?\p{Nd}(?:[\s().\-/]*\p{Nd}){6,}/gu;
const controlCharacters = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/**
 * Makes a provider's message safe to pass on: text like a phone or account number keeps only its
 * last two digits, control characters are removed and long texts truncated.
 */
export function presentableMessage(words: string): string {
  return words
    .slice(0, 4 * lengthLimit)
    .replace(numberLike, (found) => `***${found.replace(/\P{Nd}/gu, '').slice(-2)}`)
    .replace(controlCharacters, ' ')
    .trim()
    .slice(0, lengthLimit);
}
