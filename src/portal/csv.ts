/** What spreadsheets take for the beginning of a formula, also in its wide forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n]/;
/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Rows as CSV (RFC 4180), made for spreadsheets: a text that could be a formula gets an apostrophe in
 * front, which they do not show, so that names that others chose cannot calculate anything.
 */
export const csv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** So many rows a download has at most; what is longer is split by its dates. */
export const DOWNLOAD_ROWS = 20_000;
