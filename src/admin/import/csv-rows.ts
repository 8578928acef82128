import { CsvContentError, type CsvRecord, readCsvRecords } from '../../rendering/csv-records.ts';
import { AdminError } from '../admin-error.ts';
import { kebab } from '../fields.ts';
import type { RecordKind } from '../records/record-kind.ts';
import {
  type CellProblem,
  columnFinder,
  columnNames,
  type ImportRow,
  importLimits,
  quoted,
} from './import-row.ts';

/**
 * Reads a CSV file (RFC 4180) whose first row names the columns, in any order. The separator is a
 * comma, or the semicolon or tab of some spreadsheets.
 *
 * @throws {AdminError} for other content
 */
export function readCsvRows(kind: RecordKind, text: string): ImportRow[] {
  const [header, ...records] = recordsOf(text);
  if (!header) throw new AdminError('is empty: its first row must name the columns');
  const names = readHeader(kind, header.cells);
  return records.map(({ cells, line }) => ({
    place: `line ${line}`,
    ...readRow(names, cells),
  }));
}

function recordsOf(text: string): CsvRecord[] {
  const { rows, rowCharacters } = importLimits;
  try {
    return readCsvRecords(text, { rows: rows + 2, rowCharacters });
  } catch (error) {
    if (error instanceof CsvContentError)
      throw new AdminError(`is not valid CSV: ${error.message}`);
    throw error;
  }
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
