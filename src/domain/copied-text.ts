/** What comes along invisibly with copied text, such as the marks of direction U+202A to U+202C. */
const INVISIBLE = /\p{Cf}/gu;
/** Also a line break: a letter or a page breaks a long code. */
const ANY_SPACE = /\s/gu;
/** Hyphens and dashes of every length, and the minus sign. */
const ANY_DASH = /[\p{Dash_Punctuation}\u2212]/gu;

/** A text that people look for, without invisible characters and what surrounds it. */
export const soughtText = (text: string): string => text.replace(INVISIBLE, '').trim();

/**
 * One line that people copy: without invisible characters and what surrounds it, every white space a
 * blank, every dash a hyphen.
 */
export const plainCopy = (text: string): string =>
  soughtText(text).replace(ANY_SPACE, ' ').replace(ANY_DASH, '-');
