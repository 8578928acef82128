import { CsvError, type Info, parse } from 'csv-parse/sync';
import { AdminError } from '../admin-error.js';
import { kebab } from '../fields.js';
import type { RecordKind } from '../records/record-kind.js';
import {
  type CellProblem,
  columnFinder,
  columnNames,
  type ImportRow,
  importLimits,
  quoted,
} from './import-row.js';

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Reads a CSV file (RFC 4180) whose first row names the columns, in any order. The separator is a
 * comma, or the semicolon or tab of some spreadsheets.
 *
 * @throws {AdminError} for other content
 */
export function readCsvRows(kind: RecordKind, text: string): ImportRow[] {
  const [header, ...records] = parseRecords(text);
  if (!header) throw new AdminError('is empty: its first row must name the columns');
  const names = readHeader(kind, header.record);
  return records.map(({ record, info }) => ({
    place: `line ${firstLine(record, info)}`,
    ...readRow(names, record),
  }));
}

function parseRecords(text: string): CsvRecord[] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      info: true,
      max_record_size: importLimits.rowCharacters,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      to: importLimits.rows + 2,
    }) as unknown as CsvRecord[];
  } catch (error) {
    if (error instanceof CsvError) throw new AdminError(`is not valid CSV: ${describe(error)}`);
    throw error;
  }
}

/** The library's own messages repeat parts of the file. */
function describe(error: CsvError): string {
  const line = 'lines' in error ? ` (line ${error.lines})` : '';
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `a quotation mark is not closed${line}`;
    case 'CSV_MAX_RECORD_SIZE':
      return (
        `a row is longer than ${importLimits.rowCharacters} characters${line}; ` +
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

function delimiterOf(text: string): string {
  const [header = ''] = text.split(/[\r\n]/, 1);
  return [',', ';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ',';
}

/** The field of each column. */
function readHeader(kind: RecordKind, header: readonly string[]): string[] {
  const find = columnFinder(kind);
  const names = header.map((column) => find(column));
  const unknown = header.filter((_, index) => names[index] === undefined);
  if (unknown.length > 0)
    throw new AdminError(
      `has unknown columns: ${unknown.slice(0, 10).map(quoted).join(', ')}; the columns are: ` +
        columnNames(kind),
    );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new AdminError(`has the column ${kebab(twice)} twice`);
  return names.filter((name) => name !== undefined);
}

function readRow(names: readonly string[], record: readonly string[]) {
  const problems: CellProblem[] = [];
  if (record.length !== names.length)
    problems.push({
      reason: `has ${record.length} cells for ${names.length} columns`,
    });
  const cells = names
    .map((name, index) => [name, record[index] ?? ''] as const)
    .filter(([, cell]) => cell !== '');
  return { cells: Object.fromEntries(cells), problems };
}

/** The parser counts lines to the end of a row; people look for its beginning. */
function firstLine(record: readonly string[], { lines }: Info): number {
  const breaks = record.reduce(
    (count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0),
    0,
  );
  return lines - breaks;
}
