import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { plainCopy } from './copied-text.ts';
import { type Refusal, refuse } from './refusals.ts';

/** The mobile operators of Ethiopia that the service sends airtime and packages to. */
export const operators = ['ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'] as const;
export type Operator = (typeof operators)[number];

/** By the first digit of the national number. The digit 8 is reserved for a future mobile operator. */
const operatorsByFirstDigit: Readonly<Record<string, Operator>> = {
  '7': 'SAFARICOM_ETHIOPIA',
  '9': 'ETHIO_TELECOM',
};

const ETHIOPIAN = /^\+251(\d)\d{8}$/;

/** Prefixes of national numbers, such as 0791, by their mobile operator. */
export type MobilePrefixes = Readonly<Partial<Record<Operator, readonly string[]>>>;

let addedPrefixes: readonly { readonly prefix: string; readonly operator: Operator }[] = [];

/**
 * Tells the rules of prefixes that libphonenumber does not know yet. Every process that reads numbers calls it
 * with its setting before it reads any.
 */
export function addMobilePrefixes(prefixes: MobilePrefixes): void {
  addedPrefixes = operators.flatMap((operator) =>
    (prefixes[operator] ?? []).map((prefix) => ({
      prefix: prefix.replace(/^0/, '+251'),
      operator,
    })),
  );
}

/** The mobile operator of a number (E.164) by an added prefix alone. */
const addedOperatorOf = (msisdn: string): Operator | undefined =>
  ETHIOPIAN.test(msisdn)
    ? addedPrefixes.find(({ prefix }) => msisdn.startsWith(prefix))?.operator
    : undefined;

/**
 * The mobile operator of a number (E.164); undefined for a foreign number and for an unassigned
 * prefix. Ethiopia has no number portability yet, so the prefix is enough.
 */
export function operatorOf(msisdn: string): Operator | undefined {
  const [, firstDigit = ''] = ETHIOPIAN.exec(msisdn) ?? [];
  return addedOperatorOf(msisdn) ?? operatorsByFirstDigit[firstDigit];
}

/** Longer than any formatted number. The limit keeps the parsing of hostile text cheap. */
const MAX_LENGTH = 32;
/** The library would also accept extensions, words and digits of other scripts. */
const WRITTEN_NUMBER = /^\+?[0-9 ().-]+$/;

/**
 * Reads a phone number that can receive an SMS and answers it as E.164, or undefined. A number
 * without a country code is Ethiopian, so 09…, 2519… and +2519… are the same number.
 * Mobile numbers of every country are accepted, because the owner of a gift may live abroad.
 * Numbers without a country, such as satellite and toll-free numbers, are refused.
 */
export function parseMsisdn(written: string): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const text = plainCopy(written);
  if (!WRITTEN_NUMBER.test(text)) return undefined;
  const number = parsePhoneNumberFromString(text, 'ET');
  if (number && addedOperatorOf(number.number) !== undefined) return number.number;
  if (!number?.isValid() || number.isNonGeographic()) return undefined;
  return number.number;
}

/** Whether a country, given by its ISO 3166-1 alpha-2 code, has phone numbers. */
export const hasPhoneNumbers = (country: string): boolean => isSupportedCountry(country);

/** Whether a number (E.164) belongs to one of these countries (ISO 3166-1 alpha-2 codes). */
export function isNumberOf(countries: readonly string[], msisdn: string): boolean {
  const country = parsePhoneNumberFromString(msisdn)?.country;
  return country !== undefined && countries.includes(country);
}

/** The masked number: "+2519*****678". Very short numbers show fewer digits. */
export function maskMsisdn(msisdn: string): string {
  const shown = msisdn.length >= 11 ? { first: 5, last: 3 } : { first: 2, last: 1 };
  const hidden = Math.max(msisdn.length - shown.first - shown.last, 3);
  return `${msisdn.slice(0, shown.first)}${'*'.repeat(hidden)}${msisdn.slice(-shown.last)}`;
}

declare const stored: unique symbol;

/**
 * A phone number as the database holds it, which is no number to send to: sealed as
 * "hash.masked.keyId.box", or erased. The parts in front serve indexes and people; only `src/crypto/phone-numbers.ts` opens the box.
 */
export interface StoredNumber {
  readonly [stored]: true;
}

/** The text in place of an erased number. */
const ERASED = 'erased';

/** The number as people may see it: "+2519*****678". */
export function maskStored(number: StoredNumber): string {
  const text = String(number);
  if (text === ERASED) return text;
  return text.split('.', 2)[1] ?? '';
}

/** Whether a text is a sealed number. */
export const isSealedNumber = (text: string): boolean =>
  /^[\w-]+\.\+[\d*]+\.[\w-]+\.[\w-]+$/.test(text);

/** Whether a stored number is the one with a keyed hash; an erased one is none. */
export const hasHash = (number: StoredNumber, hash: string): boolean =>
  String(number).split('.', 1)[0] === hash;

export const isSameNumber = (one: StoredNumber, other: StoredNumber): boolean =>
  String(one).split('.', 1)[0] === String(other).split('.', 1)[0];

/** Whether a number was erased, as it is stored or as it was opened. */
export const isErased = (number: StoredNumber | string): boolean => String(number) === ERASED;

/** The key that sealed a number; undefined where it is erased. */
export const sealingKeyOf = (number: StoredNumber): string | undefined =>
  String(number).split('.', 3)[2];

/** Seals numbers for the database, and opens them. */
export interface NumberBox {
  /** Seals a number (E.164) for the database. */
  store(msisdn: string): StoredNumber;
  storeIfAny(msisdn: string | null): StoredNumber | null;
  /** The number (E.164); of an erased one the text "erased", which equals no number. */
  open(stored: StoredNumber): string;
  openIfAny(stored: StoredNumber | null): string | null;
  /** The number sealed under the first key; undefined where it is so already, or erased. */
  resealed(stored: StoredNumber): StoredNumber | undefined;
  /** The keyed hash of a number (E.164), by which the index finds it. */
  hashOf(msisdn: string): string;
  /** The keyed hash of a stored number; undefined where it is erased. */
  hashOfStored(stored: StoredNumber): string | undefined;
}

/** The usual time zone of the market that the service is for: an IANA name. */
export const MARKET_TIME_ZONE = 'Africa/Addis_Ababa';

/**
 * Refuses a number (E.164) of a country that the service sends no messages to; null is no number. Messages to some
 * countries cost many times more, and fraudsters earn a share of that price.
 */
export const refuseCountry = (
  msisdn: string | null,
  servedCountries: readonly string[],
): Refusal | undefined =>
  msisdn === null || isNumberOf(servedCountries, msisdn)
    ? undefined
    : refuse('country-not-served', {
        detail: `served countries are ${servedCountries.join(', ')}`,
      });
