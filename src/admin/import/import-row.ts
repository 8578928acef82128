import { kebab } from '../fields.js';
import type { RecordKind } from '../records/record-kind.js';

/** One row of a file, before its cells are read. */
export interface ImportRow {
  /** Where people find it: "line 3" of a CSV file, "item 2" of a JSON array. */
  readonly place: string;
  /** The texts of its cells by the names of fields; empty cells are left out. */
  readonly cells: Readonly<Record<string, string>>;
  readonly problems: readonly CellProblem[];
}

/** What is wrong with a cell, or with a row as a whole where no column is named. */
export interface CellProblem {
  readonly column?: string;
  readonly reason: string;
}

/** So many rows may a file have, and so long may it be. */
export const importLimits = {
  rows: 50_000,
  bytes: 20 * 1024 * 1024,
  cellCharacters: 1_000,
  /** Of one row of a CSV file: beyond it a quotation mark was not closed. */
  rowCharacters: 20_000,
} as const;

/** "Identifier Type", "identifier_type", "identifierType" and "identifier-type" are one column. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Finds the field that a column is for; undefined where there is none. */
export function columnFinder({ fields }: RecordKind): (column: string) => string | undefined {
  const names = new Map(Object.keys(fields).map((name) => [plain(name), name]));
  return (column) => names.get(plain(column));
}

/** The names of all columns, as help and errors show them. */
export const columnNames = ({ fields }: RecordKind): string =>
  Object.keys(fields).map(kebab).join(', ');

/** A text of the file as an error may show it: short, and without what would paint on a terminal. */
export function quoted(text: string): string {
  const printable = text.replaceAll(/\p{C}/gu, '?');
  return `"${printable.length > 40 ? `${printable.slice(0, 40)}…` : printable}"`;
}
