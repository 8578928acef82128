const lengthLimit = 200;

/** Seven digits or more in any script and grouping. */
const numberLike = /\+?\p{Nd}(?:[\s().\-/]*\p{Nd}){6,}/gu;
/**
 * Letters and digits without a gap, as keys and tokens are. What a token of several parts has after its
 * first dot belongs to it.
 */
const tokenLike = /(?<![\w-])(?=[\w+~-]*\d)(?=[\w+~-]*[a-z])[\w+~-]{20,}(?:\.[\w+~-]+)*=*/gi;
const controlCharacters = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/**
 * Makes a provider's message safe to pass on: text like a phone or account number keeps only its
 * last two digits, text like a key or a token is left out, control characters are removed and long
 * texts truncated.
 */
export function presentableMessage(words: string): string {
  return words
    .slice(0, 4 * lengthLimit)
    .replace(tokenLike, '***')
    .replace(numberLike, (found) => `***${found.replace(/\P{Nd}/gu, '').slice(-2)}`)
    .replace(controlCharacters, ' ')
    .trim()
    .slice(0, lengthLimit);
}
