import { AsyncLocalStorage } from 'node:async_hooks';
import { MARKET_TIME_ZONE } from '../../domain/phone.ts';
import { filled, type Sentence } from '../../domain/sentence.ts';
import { type Html, type Templates, unescaped } from '../../rendering/html.ts';
import { amharic } from './amharic.ts';

/** Tags within a sentence; all others end it. */
const INLINE = new Set(['a', 'b', 'br', 'code', 'em', 'small', 'span', 'strong', 'time']);
const TOKEN = /<\/?([a-z0-9-]+)[^>]*>|[^<]+|</gi;
/** Attributes that people read or hear. */
const READ_ATTRIBUTE = /\b(aria-label|alt)="([^"\uE000]*)"/g;
/** The place of a value: its number between two characters that no template contains. */
const PLACE = /\uE000(\d+)\uE001/g;
const LETTER = /\p{L}/u;

type Lookup = (text: string) => string | undefined;

/**
 * Translates templates. The texts are looked up as the sentences between block elements, with white
 * space made one space. `{1}`, `{2}`, … stand in place of values, and `<1>…</1>`, … in place of
 * tags within a sentence. A translation may order them in another way. An unknown text stays as it
 * is.
 */
export function translatedTemplates(lookup: Lookup): Templates {
  const known = new WeakMap<readonly string[], readonly (string | number)[]>();
  return {
    of(parts) {
      const found = known.get(parts);
      if (found) return found;
      const made = piecesOf(translateTemplate(withPlaces(parts), lookup));
      known.set(parts, made);
      return made;
    },
  };
}

const withPlaces = (parts: readonly string[]): string =>
  parts.map((part, index) => (index === 0 ? part : `\uE000${index - 1}\uE001${part}`)).join('');

const piecesOf = (text: string): (string | number)[] =>
  text.split(PLACE).map((piece, index) => (index % 2 === 1 ? Number(piece) : piece));

function translateTemplate(template: string, lookup: Lookup): string {
  let result = '';
  let sentence: string[] = [];
  const flush = () => {
    result += translateSentence(sentence, lookup);
    sentence = [];
  };
  for (const [token, tag] of template.matchAll(TOKEN)) {
    if (tag === undefined || INLINE.has(tag.toLowerCase())) sentence.push(token);
    else {
      flush();
      result += token;
    }
  }
  flush();
  return result.replace(READ_ATTRIBUTE, (whole, name, text) => {
    const translated = lookup(text);
    return translated === undefined ? whole : `${name}="${translated}"`;
  });
}

const isTag = (token: string) => /^<\/?[a-z]/i.test(token);
const isClosing = (token: string) => token.startsWith('</');
const isBlank = (token: string) => token.trim() === '';

/** Translates one sentence; elements around all of it do not belong to it. */
function translateSentence(tokens: readonly string[], lookup: Lookup): string {
  const [first = ''] = tokens;
  const last = tokens.at(-1) ?? '';
  if (tokens.length > 1 && (isBlank(first) || isBlank(last)))
    return isBlank(first)
      ? first + translateSentence(tokens.slice(1), lookup)
      : translateSentence(tokens.slice(0, -1), lookup) + last;
  if (tokens.length > 2 && isTag(first) && !isClosing(first) && endOf(tokens) === tokens.length - 1)
    return first + translateSentence(tokens.slice(1, -1), lookup) + last;
  const { key, tags, places } = keyOf(tokens);
  const whole = tokens.join('');
  const translation = LETTER.test(key.replace(/<[^>]*>|\{\d+\}/g, ''))
    ? lookup(unescaped(key))
    : undefined;
  if (translation === undefined) return whole;
  const [, before = '', after = ''] = /^(\s*)[\s\S]*?(\s*)$/.exec(whole) ?? [];
  const tagged = translation.replace(/<\/?\d+>/g, (tag) => tags.get(tag) ?? '');
  return before + filled({ text: tagged, values: places }) + after;
}

/** Where the element that the first token opens ends. */
function endOf(tokens: readonly string[]): number {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (!isTag(token) || /^<br/i.test(token)) continue;
    depth += isClosing(token) ? -1 : 1;
    if (depth === 0) return index;
  }
  return -1;
}

function keyOf(tokens: readonly string[]) {
  const tags = new Map<string, string>();
  const places: string[] = [];
  const open: number[] = [];
  let count = 0;
  const names = tokens.map((token) => {
    if (!isTag(token))
      return token.replace(PLACE, (place) => `{${places.push(place)}}`).replace(/\s+/g, ' ');
    const isEnd = isClosing(token);
    if (!isEnd) count += 1;
    const number = isEnd ? (open.pop() ?? 0) : count;
    if (!isEnd && !/^<br/i.test(token)) open.push(number);
    const name = `<${isEnd ? '/' : ''}${number}>`;
    tags.set(name, token);
    return name;
  });
  return { key: names.join('').trim(), tags, places };
}

/** The languages of the portal, with their own names. */
export const languages = { en: 'English', am: 'አማርኛ' } as const;
export type Language = keyof typeof languages;

const isLanguage = (text: string | null | undefined): text is Language =>
  text === 'en' || text === 'am';

/** A language by its code; undefined for others. */
export const readLanguage = (text: string | null | undefined): Language | undefined =>
  isLanguage(text) ? text : undefined;

/** How the person reads whom a page is written for. */
export interface Reader {
  language: Language;
  /** The time zone that every time and every day of the page is in. */
  zone: string;
}

/** The reader belongs to the request and is no argument of each line. */
const readers = new AsyncLocalStorage<Reader>();

/** Handles a request of a reader, whose choices may become known only then. */
export const forReader = <Result>(reader: Reader, handle: () => Result): Result =>
  readers.run(reader, handle);

/** The reader of the request. */
export const reader = (): Reader =>
  readers.getStore() ?? { language: 'en', zone: MARKET_TIME_ZONE };

/** Writes a part of a page in a language. */
export const inLanguage = <Result>(language: Language, handle: () => Result): Result =>
  forReader({ ...reader(), language }, handle);

/** The language of the request. */
export const language = (): Language => reader().language;

/** The locale of the request for numbers and dates. */
export const locale = (): string => (language() === 'am' ? 'am-ET' : 'en');

/** A count with its groups of digits. */
export const countText = (count: number): string => count.toLocaleString(locale());

const lookup = (text: string): string | undefined =>
  Object.hasOwn(amharic, text) ? amharic[text as KnownText] : undefined;

const templates = translatedTemplates(lookup);

/** Writes HTML in the language of the request. */
export const writeHtml = (content: Html): string =>
  language() === 'am' ? content.in(templates) : content.toString();

/** The texts that the catalogue has: other texts do not compile. */
export type KnownText = keyof typeof amharic;

/** A sentence in the language of the request, with values in place of `{1}`, `{2}`, … */
export const sentence = (text: KnownText, ...values: Sentence['values']): string =>
  filled({ text: language() === 'am' ? amharic[text] : text, values });

/**
 * The first language of an Accept-Language header that the portal has. Its values are in the order of
 * the person's wishes in all browsers, so weights are not compared.
 */
export const languageOf = (header: string | undefined): Language | undefined =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim().slice(0, 2).toLowerCase())
    .find(isLanguage);
