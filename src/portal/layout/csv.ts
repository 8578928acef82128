/** The beginning of a formula in spreadsheets, also in full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n]/;
/** A number for spreadsheets, which keep only its first digits. */
const LONG_NUMBER = /^\s*\d{12,}\s*$/;
/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Writes rows as CSV (RFC 4180) for spreadsheets. A text that could be a formula or is a long
 * number gets a leading apostrophe: names chosen by others cannot calculate anything, and serial
 * numbers keep their digits.
 */
export const csv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const harmless = FORMULA.test(text) || LONG_NUMBER.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Rows of a download at most; people split a longer one by its dates. */
export const DOWNLOAD_ROWS = 20_000;
