import { distance } from 'fastest-levenshtein';
import isoCodes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

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
export const parseCountry = (text: string): string | undefined =>
  text.length > MAXIMUM_LENGTH
    ? undefined
    : (codes.get(text.trim().toUpperCase()) ?? codesByName.get(wordsOf(text)));

/** The names of the countries that are spelt most like a text. */
export function nearestCountries(text: string): string[] {
  const words = wordsOf(text.slice(0, MAXIMUM_LENGTH));
  const nearest = [...codesByName]
    .map(([name, alpha2]) => ({ alpha2, away: distance(words, name) }))
    .toSorted((one, other) => one.away - other.away);
  const names = nearest.map(({ alpha2 }) => commonNames.of(alpha2) ?? alpha2);
  return [...new Set(names)].slice(0, NEAREST);
}
