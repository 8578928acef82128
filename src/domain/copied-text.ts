/** What comes along invisibly with copied text, such as the marks of direction U+202A to U+202C. */
const INVISIBLE = /\p{Cf}/gu;
/** Also a line break: a letter or a page breaks a long code. */
const ANY_SPACE = /\s/gu;
/** The hyphens of typeset text. */
const TYPESET_HYPHEN = /[\u2010\u2011]/gu;
/** Hyphens and dashes of every length, and the minus sign. */
const ANY_DASH = /[\p{Dash_Punctuation}\u2212]/gu;

/** A text that people look for: without invisible characters and what surrounds it, every white space a blank. */
export const soughtText = (text: string): string =>
  text.replace(INVISIBLE, '').replace(ANY_SPACE, ' ').replace(TYPESET_HYPHEN, '-').trim();

/** A number as a spreadsheet shortens it: its last digits are lost, and several numbers become one. */
const SHORTENED = /^-?\d(?:[.,]\d+)?E\+\d+$/i;

/** Whether a spreadsheet has shortened the number of a cell. */
export const isShortened = (cell: string): boolean => SHORTENED.test(cell);

/** Whether a text has nothing that people see. */
export const isEmptyText = (text: string): boolean => soughtText(text) === '';

/** One line of digits or codes that people copy: the same with every dash a hyphen. */
export const plainCopy = (text: string): string => soughtText(text).replace(ANY_DASH, '-');
