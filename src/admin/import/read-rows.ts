import { AdminError } from '../admin-error.ts';
import type { GivenRecord } from '../records/plan-records.ts';
import type { CellValue, RecordKind, RecordProblem } from '../records/record-kind.ts';
import { type CellProblem, type ImportRow, importLimits } from './import-row.ts';

/** A row with parsed cells, as far as they are valid. */
export interface ReadRow extends GivenRecord {
  readonly place: string;
  /** The problems of the row itself. */
  readonly rowProblems: readonly CellProblem[];
}

/** Parses the cells of rows like the options of "create". */
export async function readRows(
  kind: RecordKind,
  rows: readonly ImportRow[],
  onRow: (count: number) => void,
): Promise<ReadRow[]> {
  const read: ReadRow[] = [];
  for (const row of rows) {
    read.push(await readRow(kind, row));
    onRow(read.length);
  }
  return read;
}

async function readRow(kind: RecordKind, row: ImportRow): Promise<ReadRow> {
  const given: Record<string, CellValue> = {};
  const problems: RecordProblem[] = row.problems.flatMap(({ column, reason }) =>
    column === undefined ? [] : [{ field: column, reason }],
  );
  for (const [name, cell] of Object.entries(row.cells)) {
    const parser = kind.fields[name]?.parser;
    if (!parser) continue;
    try {
      if (cell.length > importLimits.cellCharacters)
        throw new AdminError(`is longer than ${importLimits.cellCharacters} characters`);
      const value = parser.parse(cell);
      given[name] = value instanceof Promise ? await value : value;
    } catch (error) {
      if (!(error instanceof AdminError)) throw error;
      problems.push({ field: name, reason: error.message });
    }
  }
  const rowProblems = row.problems.filter(({ column }) => column === undefined);
  return { place: row.place, given, problems, rowProblems };
}
