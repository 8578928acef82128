/** The beginning of a formula in spreadsheets, also in full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n]/;
/** A number, which calculates nothing. */
const NEGATIVE = /^-\d+(\.\d+)?$/;
/** A number for spreadsheets, which keep only its first digits. */
const LONG_NUMBER = /^\s*\d{12,}\s*$/;
/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Writes rows as CSV (RFC 4180) for spreadsheets. A text that could be a formula or is a long
 * number gets a leading apostrophe: names chosen by others cannot calculate anything, and serial
 * numbers keep their digits.
 */
export const csv = (rows: readonly CsvRow[]): string => BYTE_ORDER_MARK + csvLines(rows);

/** The cells of a line. */
export type CsvRow = readonly (string | number | null)[];

/** Further lines of a file that `csv` began. */
export const csvLines = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const isFormula = FORMULA.test(text) && !NEGATIVE.test(text);
  const harmless = isFormula || LONG_NUMBER.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
