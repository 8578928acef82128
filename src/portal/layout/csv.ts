/** What spreadsheets take for the beginning of a formula, also in its wide forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n]/;
/** What they take for a number, of which they keep but the first digits. */
const LONG_NUMBER = /^\s*\d{12,}\s*$/;
/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Rows as CSV (RFC 4180), made for spreadsheets: a text that could be a formula or is a long number
 * gets an apostrophe in front, so that names that others chose cannot calculate anything, and serial
 * numbers keep their digits.
 */
export const csv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const harmless = FORMULA.test(text) || LONG_NUMBER.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** So many rows a download has at most; what is longer is split by its dates. */
export const DOWNLOAD_ROWS = 20_000;
