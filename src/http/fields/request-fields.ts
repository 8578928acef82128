import { distance } from 'fastest-levenshtein';
import isoCodes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import { z } from 'zod';
import { plainCopy, soughtText } from '../../domain/copied-text.ts';
import { parseRequestAmount } from '../../domain/money.ts';
import { parseMsisdn } from '../../domain/phone.ts';
import { parseVoucherCode } from '../../domain/vouchers/voucher.ts';
import { parseJson } from '../body/json-body.ts';

const MAXIMUM_LENGTH = 100;
const NEAREST = 3;

/** Names in use that neither the library nor the runtime has: short forms, parts and formal names. */
const FURTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  BO: ['Plurinational State of Bolivia'],
  CD: ['DRC'],
  CG: ['Congo'],
  CV: ['Cabo Verde'],
  FK: ['Falklands', 'Malvinas'],
  GB: [
    'United Kingdom of Great Britain and Northern Ireland',
    'Britain',
    'England',
    'Scotland',
    'Wales',
    'Northern Ireland',
  ],
  KP: ["Democratic People's Republic of Korea", 'DPRK'],
  MM: ['Burma'],
  NL: ['Holland'],
  SH: ['Saint Helena, Ascension and Tristan da Cunha'],
  SZ: ['Swaziland'],
  US: ['America'],
  VA: ['Holy See', 'Vatican'],
  VE: ['Bolivarian Republic of Venezuela'],
  VN: ['Viet Nam'],
};

const commonNames = new Intl.DisplayNames('en', { type: 'region' });

/** The library adds Kosovo, which ISO 3166-1 does not have. */
const countries = isoCodes.filter(([alpha2]) => alpha2 !== 'XK');

const codes: ReadonlyMap<string, string> = new Map(
  countries.flatMap(([alpha2 = '', alpha3 = '']) => [
    [alpha2, alpha2],
    [alpha3, alpha2],
  ]),
);

/** The code of each name in the form of `wordsOf`; a later name goes before an earlier one. */
const codesByName: ReadonlyMap<string, string> = new Map(
  [
    ...Object.entries(english.countries).filter(([alpha2]) => codes.has(alpha2)),
    ...countries.map(([alpha2 = '']) => [alpha2, commonNames.of(alpha2) ?? alpha2] as const),
    ...Object.entries(FURTHER_NAMES),
  ].flatMap(([alpha2, names]) => [names].flat().map((name) => [wordsOf(name), alpha2] as const)),
);

/**
 * The words of a name in alphabetical order, without case, accents, punctuation and "the": ISO
 * writes `Tanzania, the United Republic of` for the United Republic of Tanzania.
 */
function wordsOf(name: string): string {
  const plain = name.normalize('NFD').toLowerCase().replaceAll('&', ' and ');
  const words = plain.replaceAll(/[\p{M}.'’]/gu, '').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => word !== 'the')
    .sort()
    .join(' ');
}

/** The alpha-2 code (ISO 3166-1) of a country, given by a code or by an English name. */
const parseCountry = (text: string): string | undefined =>
  text.length > MAXIMUM_LENGTH
    ? undefined
    : (codes.get(plainCopy(text).toUpperCase()) ?? codesByName.get(wordsOf(text)));

/** The names of the countries that have all words of a text, then those that are spelt most like it. */
function nearestCountries(text: string): string[] {
  const words = wordsOf(text.slice(0, MAXIMUM_LENGTH));
  const isPartOf = (name: string) =>
    words !== '' && words.split(' ').every((word) => name.split(' ').includes(word));
  const nearest = [...codesByName]
    .map(([name, alpha2]) => ({ alpha2, isPart: isPartOf(name), away: distance(words, name) }))
    .toSorted((one, other) => Number(other.isPart) - Number(one.isPart) || one.away - other.away);
  const names = nearest.map(({ alpha2 }) => commonNames.of(alpha2) ?? alpha2);
  return [...new Set(names)].slice(0, NEAREST);
}

/**
 * Fields that several endpoints share; validation yields their canonical form. The messages say
 * what to send and never repeat what was sent. The documents name the form of a text in place of a
 * pattern: no pattern holds everything that may come along with copied text.
 */

/** An id. Numeric text is accepted, because the specification shows some ids as text. */
export const idField = z
  .union(
    [
      z.number(),
      z
        .string()
        .transform(plainCopy)
        .refine((text) => /^[0-9]{1,16}$/.test(text))
        .transform(Number),
    ],
    {
      error: 'must be a whole number above 0',
    },
  )
  .pipe(z.int('must be a whole number above 0').positive('must be a whole number above 0'))
  .meta({
    description: 'Whole number above 0, as a number or as text',
    examples: [17],
    anyOf: [
      { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', format: 'id' },
    ],
  });

/** A transformation that reads what was given; where nothing can be read, the problem says what to send. */
export const reading =
  <Given, Read>(read: (given: Given) => Read | undefined, problem: string) =>
  (given: Given, context: z.RefinementCtx): Read => {
    const found = read(given);
    if (found !== undefined) return found;
    context.addIssue(problem);
    return z.NEVER;
  };

/** ETB above zero with at most two decimals; validation yields a bigint of micro-units. */
export const amountField = z
  .union([z.number(), z.string()], { error: 'must be an amount in ETB' })
  .transform(
    reading(
      parseRequestAmount,
      'must be an amount in ETB above 0 with at most 2 decimals, such as 99.50',
    ),
  )
  .meta({
    description: 'Amount in ETB above 0 with at most 2 decimals, as a number or as text',
    examples: ['99.50'],
    anyOf: [
      { type: 'number', minimum: 0.01, maximum: 9_999_999_999_999.99, multipleOf: 0.01 },
      { type: 'string', format: 'amount' },
    ],
  });

/** A phone number in any usual format; validation yields E.164. */
export const msisdnField = z
  .string('must be a phone number as text')
  .transform(reading(parseMsisdn, 'must be a mobile number, such as 0911234567 or +251911234567'))
  .meta({
    description: 'Mobile number in any usual spelling: international, or national of Ethiopia',
    examples: ['+251911234567', '0911234567'],
    format: 'msisdn',
    maxLength: 32,
  });

/** JSON numbers have no leading zeros: 000634 would arrive as 634, which is another code. */
const AS_TEXT = 'must be sent as text: a number loses its leading zeros';

/**
 * A voucher code in any format; validation yields its canonical characters, or undefined for text
 * that cannot be a code.
 */
export const voucherCodeField = z
  .string(AS_TEXT)
  .refine((text) => text.length > 0 && text.length <= 100, 'must be the code as text')
  .transform((text) => ({ canonical: parseVoucherCode(text) }))
  .meta({
    description: 'Voucher code; case, spaces and hyphens do not matter',
    examples: ['7H3K-9M2P-QX4R-T6WV'],
    minLength: 1,
    maxLength: 100,
  });

/** The code of the SMS. Any other text is a wrong code, not an invalid request. */
export const verificationCodeField = z
  .string(AS_TEXT)
  .refine((text) => text.length <= 100, 'must be the digits of the SMS')
  .transform((text) => plainCopy(text).replaceAll(/[ -]/g, ''))
  .meta({
    description: 'Digits of the SMS; spaces and hyphens do not matter',
    examples: ['123456'],
    maxLength: 100,
  });

/** A price in USD above zero; validation yields text with at most 6 decimals. */
export const positiveDecimalField = z
  .union([z.string().transform(plainCopy), z.number().transform(String)], {
    error: 'must be a decimal number',
  })
  .refine(
    (text) => /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6}0{0,18})?$/.test(text) && /[1-9]/.test(text),
    'must be a decimal number above 0 with at most 6 decimals',
  )
  .transform((text) => text.replace(/(\.[0-9]{6})0+$/, '$1'))
  .meta({
    description: 'Decimal number above 0 with at most 6 decimals, as a number or as text',
    examples: ['57.25'],
    anyOf: [
      { type: 'number', minimum: 0.000001, maximum: 999_999_999_999, multipleOf: 0.000001 },
      { type: 'string', format: 'decimal' },
    ],
  });

/**
 * A decimal above zero that only informs, such as the exchange rate of a sale, in any length;
 * validation yields its text rounded to 12 decimals.
 */
export const informativeDecimalField = z
  .union([z.string().transform(plainCopy), z.number()], { error: 'must be a decimal number' })
  .transform(
    reading((value: string | number) => {
      const isTiny = typeof value === 'number' && value > 0 && value < 1e-6;
      return roundDecimal(isTiny ? value.toFixed(20) : String(value));
    }, 'must be a decimal number above 0, such as 57.25'),
  )
  .meta({
    description: 'Decimal number above 0, as a number or as text; kept with at most 12 decimals',
    examples: ['57.25'],
    anyOf: [
      { type: 'number', minimum: 1e-12, maximum: 999_999_999_999 },
      { type: 'string', format: 'decimal' },
    ],
  });

const KEPT_DECIMALS = 12;

/** Half up, without zeros at the end; undefined for other text and where nothing is left. */
function roundDecimal(text: string): string | undefined {
  const [, whole, fraction = ''] = /^([0-9]{1,12})(?:\.([0-9]{1,40}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const oneMore = fraction.padEnd(KEPT_DECIMALS + 1, '0').slice(0, KEPT_DECIMALS + 1);
  const units = (BigInt(whole + oneMore) + 5n) / 10n;
  if (units === 0n) return undefined;
  const digits = String(units).padStart(KEPT_DECIMALS + 1, '0');
  const decimals = digits.slice(-KEPT_DECIMALS).replace(/0+$/, '');
  const integer = digits.slice(0, -KEPT_DECIMALS);
  return decimals === '' ? integer : `${integer}.${decimals}`;
}

/** The key that identifies repetitions of a request; any printable text. */
export const idempotencyKeyField = z
  .string('must be text')
  .transform(soughtText)
  .refine(
    (key) => /^[\x20-\x7e]{1,200}$/.test(key),
    'must have 1 to 200 printable characters, not all spaces',
  )
  .meta({
    description:
      'Tells repetitions of a request; 1 to 200 printable ASCII characters. Spaces around it do not count',
    examples: ['order-2026-000417'],
    minLength: 1,
  });

/** JSON as text; the answer echoes it unchanged (specification 4.2). */
export const metadataField = z
  .string('must be JSON as text')
  .max(4_096, 'must have at most 4096 characters')
  .refine((text) => parseJson(text) !== undefined, 'must be valid JSON as text')
  .meta({
    description: 'JSON as text, at most 4096 characters; echoed as it came',
    examples: ['{"shop":"Bole","item":"Coffee"}'],
    contentMediaType: 'application/json',
  });

/** The fields of each signed request of a merchant; the answer echoes them (specification 4.2). */
export const merchantFields = {
  idempotencyKey: idempotencyKeyField,
  metadata: metadataField.nullish(),
};

const TIME = 'must be a time in ISO 8601, such as 2026-01-31T00:00:00Z';

/** Times that PostgreSQL does not read: of the year 0, or with an offset that no place has. */
const UNREADABLE_TIME = /^0000|[+-](?:1[6-9]|2\d):\d\d$/;

/** A time of a query; its offset is given. */
export const timeParameter = (description: string) =>
  z.iso
    .datetime({ offset: true, error: TIME })
    .refine((text) => !UNREADABLE_TIME.test(text), TIME)
    .meta({ description: `${description}, ISO 8601`, examples: ['2026-01-31T00:00:00Z'] });

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217 in any case; validation yields capitals. */
export const currencyField = z
  .string('must be a currency code')
  .transform(
    reading((text: string) => {
      const code = plainCopy(text);
      const currency = /^[a-z]{3}$/i.test(code) ? code.toUpperCase() : '';
      return currencies.has(currency) ? currency : undefined;
    }, 'must be an ISO 4217 currency code, such as USD'),
  )
  .meta({
    description: 'ISO 4217 currency code in any case',
    examples: ['USD'],
    format: 'currency',
  });

/** The mistake, before the names that are most alike. */
export const WRONG_COUNTRY = 'must be an ISO 3166-1 country code or name, such as US or Ethiopia';

/** A country by its ISO 3166-1 code or English name; validation yields the alpha-2 code. */
export const countryField = z
  .string('must be a country code')
  .transform((text, context) => {
    const country = parseCountry(text);
    if (country !== undefined) return country;
    const nearest = nearestCountries(text).join(', ');
    context.addIssue(`${WRONG_COUNTRY}; most alike are ${nearest}`);
    return z.NEVER;
  })
  .meta({
    description: 'Country: ISO 3166-1 alpha-2, alpha-3 or English name, in any case',
    examples: ['US', 'ETH', 'Ethiopia'],
  });

/** A whole number of a query, which is text. */
export const numberParameter = (description: string, range: readonly [number, number]) => {
  const [minimum, maximum] = range;
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z.coerce
    .number({ error })
    .int(error)
    .min(minimum, error)
    .max(maximum, error)
    .meta({
      description,
      examples: [maximum],
    });
};
