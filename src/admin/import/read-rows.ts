import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { z } from 'zod';
import { isShortened } from '../../domain/copied-text.ts';
import { CsvContentError, type CsvRecord, readCsvRecords } from '../../rendering/csv.ts';
import { AdminError, kebab, shownAs } from '../fields.ts';
import { readGivenFile } from '../given-file.ts';
import type { CellValue, RecordKind, RecordProblem } from '../records/record-kind.ts';
import type { GivenRecord } from '../records/write-records.ts';

/** One row of a file with unparsed cells. */
interface ImportRow {
  /** "line 3" of a CSV file, "item 2" of a JSON array. */
  readonly place: string;
  /** The texts of its cells by field names, without empty cells. */
  readonly cells: Readonly<Record<string, string>>;
  readonly problems: readonly RecordProblem[];
}

/** Limits of an imported file. */
export const importLimits = {
  rows: 50_000,
  bytes: 20 * 1024 * 1024,
  cellCharacters: 1_000,
  /** Of one row of a CSV file: a longer row means an unclosed quotation mark. */
  rowCharacters: 20_000,
} as const;

/** "Identifier Type", "identifier_type", "identifierType" and "identifier-type" name one column. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Finds the field of a column; undefined for an unknown column. */
function columnFinder({ fields }: RecordKind): (column: string) => string | undefined {
  const names = new Map(Object.keys(fields).map((name) => [plain(name), name]));
  return (column) => names.get(plain(column));
}

/** The names of all columns, for help and errors. */
const columnNames = ({ fields }: RecordKind): string => Object.keys(fields).map(kebab).join(', ');

/** A text of the file for an error message: short, without control characters. */
function quoted(text: string): string {
  const printable = text.replaceAll(/\p{C}/gu, '?');
  return `"${printable.length > 40 ? `${printable.slice(0, 40)}…` : printable}"`;
}

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
    ...readCells(names, cells),
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

function readCells(names: readonly string[], record: readonly string[]) {
  const reason = `has ${record.length} cells for ${names.length} columns`;
  const problems = record.length === names.length ? [] : [{ field: '', reason }];
  const cells = names
    .map((name, index) => [name, record[index] ?? ''] as const)
    .filter(([, cell]) => cell !== '');
  return { cells: Object.fromEntries(cells), problems };
}

/**
 * Reads a JSON file with an array of objects, whose fields are the columns of a CSV file. A value
 * is text or a number; null counts as absent.
 *
 * @throws {AdminError} for other content
 */
export function readJsonRows(kind: RecordKind, text: string): ImportRow[] {
  const items = parseJson(text);
  if (!Array.isArray(items)) throw new AdminError('must be a JSON array of objects');
  const find = columnFinder(kind);
  const known = columnNames(kind);
  return items.map((item: unknown, index) => {
    const place = `item ${index + 1}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      return { place, cells: {}, problems: [{ field: '', reason: 'must be an object' }] };
    return { place, ...readItem(item, find, known) };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AdminError('is not valid JSON');
  }
}

function readItem(item: object, find: (column: string) => string | undefined, known: string) {
  const cells: Record<string, string> = {};
  const problems: RecordProblem[] = [];
  const seen = new Set<string>();
  for (const [column, value] of Object.entries(item)) {
    const field = find(column);
    const problem = (reason: string) => problems.push({ field: field ?? '', reason });
    if (field === undefined)
      problem(`has an unknown field ${quoted(column)}; the fields are: ${known}`);
    else if (seen.has(field)) problem('appears twice');
    else if (typeof value === 'string' || isExact(value)) cells[field] = String(value);
    else if (value !== null) problem('must be text or a number of at most 15 digits');
    if (field !== undefined) seen.add(field);
  }
  return { cells, problems };
}

/** Larger JSON numbers lose digits when they are parsed. */
const isExact = (value: unknown): value is number =>
  typeof value === 'number' && String(Math.abs(value)).replace('.', '').length <= 15;

const SHORTENED =
  'was shortened by a spreadsheet, so that its last digits are lost: write all of them, and save the file as text';

/** Parses the cells of rows like the options of "create", as far as they are valid. */
export function readRows(
  kind: RecordKind,
  rows: readonly ImportRow[],
  onRow: (count: number) => void,
): GivenRecord[] {
  return rows.map((row, index) => {
    onRow(index + 1);
    return readRow(kind, row);
  });
}

function readRow(kind: RecordKind, row: ImportRow): GivenRecord {
  const given: Record<string, CellValue> = {};
  const problems = [...row.problems];
  for (const [name, cell] of Object.entries(row.cells)) {
    const read = kind.fields[name]?.parser.safeParse(cell);
    const problem = problemOf(cell) ?? read?.error?.issues[0]?.message;
    if (problem !== undefined) problems.push({ field: name, reason: problem });
    else if (read?.success) given[name] = read.data;
  }
  return { place: row.place, given, problems };
}

function problemOf(cell: string): string | undefined {
  if (cell.length > importLimits.cellCharacters)
    return `is longer than ${importLimits.cellCharacters} characters`;
  return isShortened(cell) ? SHORTENED : undefined;
}

/** A file that was read. */
export interface ImportFile {
  /** The file name without folders; "standard input" for "-". */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of its bytes, which identifies it in the audit log. */
  readonly digest: string;
}

/** A text file, or standard input for "-". */
export const importFile = shownAs(
  'file',
  z.string().transform(async (path): Promise<ImportFile> => {
    const bytes = await readBytes(readGivenFile(path));
    return {
      name: path === '-' ? 'standard input' : basename(path).replaceAll(/\p{C}/gu, '?'),
      text: decode(bytes),
      digest: hash('sha256', bytes),
    };
  }),
);

async function readBytes(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > importLimits.bytes) break;
  }
  if (size <= importLimits.bytes) return Buffer.concat(chunks);
  const megabytes = importLimits.bytes / 1024 / 1024;
  throw new AdminError(`is larger than ${megabytes} MB: import it in parts`);
}

/** Removes a byte-order mark at the beginning. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  const nul = bytes.indexOf(0);
  if (nul >= 0)
    throw new AdminError(
      `contains a NUL character (line ${lineOf(bytes, nul)}): save it as text in UTF-8`,
    );
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AdminError('is not in UTF-8: save it so (spreadsheets call it "CSV UTF-8")');
  }
}

const lineOf = (bytes: Buffer, position: number): number =>
  bytes.subarray(0, position).toString('latin1').split('\n').length;
