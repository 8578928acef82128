/**
 * The digits of a phone number in international form. Providers write one number as +251911234567,
 * 251911234567, 00251911234567, 0911234567 or 911234567. A number without a country code is Ethiopian.
 * No list of valid prefixes decides: a provider may pay a number that the list lacks.
 */
export const internationalDigits = (number: string): string =>
  number
    .replace(/\D/g, '')
    .replace(/^00/, '')
    .replace(/^0?([789]\d{8})$/, '251$1');

/**
 * The number (E.164) before the name of a party, as in "251911234567 - ABEBE KEBEDE". Undefined where
 * there is none, or where the provider hides digits.
 */
export function numberOfParty(party: string | null): string | undefined {
  const [number] = /^\+?\d{9,15}(?!\S)/.exec(party?.trim() ?? '') ?? [];
  return number === undefined ? undefined : `+${internationalDigits(number)}`;
}
