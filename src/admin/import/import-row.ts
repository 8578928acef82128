import { kebab } from '../fields.ts';
import type { RecordKind } from '../records/record-kind.ts';

/** One row of a file with unparsed cells. */
export interface ImportRow {
  /** "line 3" of a CSV file, "item 2" of a JSON array. */
  readonly place: string;
  /** The texts of its cells by field names, without empty cells. */
  readonly cells: Readonly<Record<string, string>>;
  readonly problems: readonly CellProblem[];
}

/** The problem of a cell, or of the whole row where no column is named. */
export interface CellProblem {
  readonly column?: string;
  readonly reason: string;
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
export function columnFinder({ fields }: RecordKind): (column: string) => string | undefined {
  const names = new Map(Object.keys(fields).map((name) => [plain(name), name]));
  return (column) => names.get(plain(column));
}

/** The names of all columns, for help and errors. */
export const columnNames = ({ fields }: RecordKind): string =>
  Object.keys(fields).map(kebab).join(', ');

/** A text of the file for an error message: short, without control characters. */
export function quoted(text: string): string {
  const printable = text.replaceAll(/\p{C}/gu, '?');
  return `"${printable.length > 40 ? `${printable.slice(0, 40)}…` : printable}"`;
}
