import { AdminError } from '../admin-error.ts';
import type { RecordKind } from '../records/record-kind.ts';
import {
  type CellProblem,
  columnFinder,
  columnNames,
  type ImportRow,
  quoted,
} from './import-row.ts';

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
      return { place, cells: {}, problems: [{ reason: 'must be an object' }] };
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
  const problems: CellProblem[] = [];
  const seen = new Set<string>();
  for (const [column, value] of Object.entries(item)) {
    const name = find(column);
    if (name === undefined)
      problems.push({ reason: `has an unknown field ${quoted(column)}; the fields are: ${known}` });
    else if (seen.has(name)) problems.push({ column: name, reason: 'appears twice' });
    else if (typeof value === 'string' || isExact(value)) cells[name] = String(value);
    else if (value !== null)
      problems.push({ column: name, reason: 'must be text or a number of at most 15 digits' });
    if (name !== undefined) seen.add(name);
  }
  return { cells, problems };
}

/** Larger JSON numbers lose digits when they are parsed. */
const isExact = (value: unknown): value is number =>
  typeof value === 'number' && String(Math.abs(value)).replace('.', '').length <= 15;
