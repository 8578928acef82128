import { CsvError, type Info, parse } from 'csv-parse/sync';

/** The beginning of a formula in spreadsheets, also in full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n]/;
/** A number, which calculates nothing. */
const NEGATIVE = /^-\d+(\.\d+)?$/;
/** A number for spreadsheets, which keep only its first digits. */
const LONG_NUMBER = /^\s*\d{12,}\s*$/;
/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Whether a text gets an apostrophe. One that has one already counts as without it: each can be taken off again. */
function needsApostrophe(text: string): boolean {
  const bare = text.replace(/^'+/, '');
  return (FORMULA.test(bare) && !NEGATIVE.test(bare)) || LONG_NUMBER.test(bare);
}

/**
 * Writes rows as CSV (RFC 4180) for spreadsheets. A text that could be a formula or is a long
 * number gets a leading apostrophe: names chosen by others cannot calculate anything, and serial
 * numbers keep their digits. `readCsvRecords` takes it off again.
 */
export const csv = (rows: readonly CsvRow[]): string => BYTE_ORDER_MARK + csvLines(rows);

/** The cells of a line. */
export type CsvRow = readonly (string | number | null)[];

/** Further lines of a file that `csv` began. */
export const csvLines = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const harmless = needsApostrophe(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** A cell as it was before `csv` wrote it. */
const withoutApostrophe = (text: string): string =>
  text.startsWith("'") && needsApostrophe(text) ? text.slice(1) : text;

/** The content is not valid CSV. The message repeats none of it. */
export class CsvContentError extends Error {
  override readonly name = 'CsvContentError';
}

/** A row with the line where it begins, from 1. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/**
 * Reads the rows of CSV (RFC 4180), the row of column names included. The separator is a comma, or
 * the semicolon or tab of some spreadsheets, which may name it in a first line such as "sep=;".
 * Rows without content are left out, and so is the apostrophe of `csv`: a reference of a file of ours stays the
 * same reference.
 *
 * @throws {CsvContentError} for other content
 */
export function readCsvRecords(
  text: string,
  limits: { readonly rows: number; readonly rowCharacters: number },
): CsvRecord[] {
  const [, named] = SEPARATOR_NOTE.exec(text) ?? [];
  try {
    const records = parse(text, {
      bom: true,
      delimiter: named ?? delimiterOf(text),
      from_line: named === undefined ? 1 : 2,
      info: true,
      max_record_size: limits.rowCharacters,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      to: limits.rows,
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: Info }[];
    return records.map(({ record, info }) => ({
      cells: record.map(withoutApostrophe),
      line: firstLine(record, info),
    }));
  } catch (error) {
    if (error instanceof CsvError) throw new CsvContentError(describe(error, limits.rowCharacters));
    throw error;
  }
}

/** The library's own messages repeat parts of the file. */
function describe(error: CsvError, rowCharacters: number): string {
  const line = 'lines' in error ? ` (line ${error.lines})` : '';
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `a quotation mark is not closed${line}`;
    case 'CSV_MAX_RECORD_SIZE':
      return (
        `a row is longer than ${rowCharacters} characters${line}; ` +
        'perhaps a quotation mark is not closed'
      );
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return `a cell contains a quotation mark${line}: double it, and quote the cell`;
    default:
      return `${error.code}${line}`;
  }
}

/** The note of a spreadsheet in front of the rows. */
const SEPARATOR_NOTE = /^\uFEFF?"?sep=([,;\t])/i;

function delimiterOf(text: string): string {
  // Empty lines may stand before it.
  const [header = ''] = /\S[^\r\n]*/.exec(text) ?? [];
  return [',', ';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ',';
}

/** The parser counts lines to the end of a row; people look for its beginning. */
function firstLine(record: readonly string[], { lines }: Info): number {
  const breaks = record.reduce(
    (count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0),
    0,
  );
  return lines - breaks;
}
