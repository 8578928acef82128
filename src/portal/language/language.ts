import { AsyncLocalStorage } from 'node:async_hooks';
import type { Html } from '../../rendering/html.ts';
import { amharic } from './amharic/amharic.ts';
import { translatedTemplates } from './translated-templates.ts';

/** The languages of the portal, with their own names. */
export const languages = { en: 'English', am: 'አማርኛ' } as const;
export type Language = keyof typeof languages;

const isLanguage = (text: string | null | undefined): text is Language =>
  text === 'en' || text === 'am';

/** A language by its code; undefined for others. */
export const readLanguage = (text: string | null | undefined): Language | undefined =>
  isLanguage(text) ? text : undefined;

/** The language of a request, for its times and sentences: no argument of each line. */
const current = new AsyncLocalStorage<Language>();

/** Handles a request of a person in a language. */
export const inLanguage = <Result>(language: Language, handle: () => Result): Result =>
  current.run(language, handle);

/** The language of the request. */
export const language = (): Language => current.getStore() ?? 'en';

/** The locale of the request for numbers and dates. */
export const locale = (): string => (language() === 'am' ? 'am-ET' : 'en');

const lookup = (text: string): string | undefined =>
  Object.hasOwn(amharic, text) ? amharic[text as KnownText] : undefined;

const templates = translatedTemplates(lookup);

/** Writes HTML in the language of the request. */
export const writeHtml = (content: Html): string =>
  language() === 'am' ? content.in(templates) : content.toString();

/** The texts that the catalogue has: another one does not compile. */
export type KnownText = keyof typeof amharic;

/** A sentence in the language of the request, with values in place of `{1}`, `{2}`, … */
export function sentence(text: KnownText, ...values: readonly (string | number)[]): string {
  const template = language() === 'am' ? amharic[text] : text;
  return template.replace(/\{(\d+)\}/g, (_whole, number) => String(values[Number(number) - 1]));
}

/**
 * The first language of an Accept-Language header that the portal has. Its values are in the order of
 * the person's wishes in all browsers, so weights are not compared.
 */
export const languageOf = (header: string | undefined): Language | undefined =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim().slice(0, 2).toLowerCase())
    .find(isLanguage);
