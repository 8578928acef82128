const lengthLimit = 200;

/** Seven digits or more in any script, however they are grouped. */
const numberLike = /\+?\p{Nd}(?:[\s().\-/]*\p{Nd}){6,}/gu;
const controlCharacters = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/**
 * A provider's own words made safe to pass on: whatever looks like a phone or account number keeps
 * its last two digits only, control characters and long texts are cut.
 */
export function presentableMessage(words: string): string {
  return words
    .slice(0, 4 * lengthLimit)
    .replace(numberLike, (found) => `***${found.replace(/\P{Nd}/gu, '').slice(-2)}`)
    .replace(controlCharacters, ' ')
    .trim()
    .slice(0, lengthLimit);
}
