import { amountText } from '../domain/money.ts';
import { isSealedNumber, maskStored, type StoredNumber } from '../domain/phone.ts';
import { zonedTime } from '../pages/language/time-zone.ts';
import type { NameOf } from '../rendering/fields.ts';
import type { Report } from './command.ts';
import { kebab } from './fields.ts';

/** Tables and records for a terminal. */

/** A time with seconds in the zone of the market, and in UTC for logs: with its day where that is another. */
export function timeText(date: Date): string {
  const { day, time } = zonedTime(date);
  const [utcDay, utcTime] = [date.toISOString().slice(0, 10), date.toISOString().slice(11, 16)];
  return `${day} ${time} (${utcDay === day ? '' : `${utcDay} `}${utcTime} UTC)`;
}

/** A value as people may see it: a phone number of the database is masked. */
export const masked = (value: unknown): unknown =>
  typeof value === 'string' && isSealedNumber(value)
    ? maskStored(value as unknown as StoredNumber)
    : value;

/** What a cell shows. */
type Cell = string | number | boolean | Date | readonly string[] | null;

/**
 * The text of a cell, without control characters: companies choose some names, which must not overwrite other
 * output.
 */
const shown = (value: Cell): string =>
  (value instanceof Date ? timeText(value) : [value ?? '-'].flat().join(', ')).replaceAll(
    /\p{Cc}/gu,
    '?',
  );

/** The name of a field in words: "createdAt" becomes "created at". */
const titleOf = (field: string): string => kebab(field).replaceAll(/[-_]/g, ' ');

interface TitledColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => Cell;
  /** By default numbers are aligned right. */
  readonly align?: 'right' | undefined;
}

/** A column of a table: a field under its own name, as the document has it, or what is made of a row under a title. */
export type Column<Row> = NameOf<Row, Cell> | TitledColumn<Row>;

/** Makes a column of a field, or of what is made of a row under a title. */
interface MakeColumn<Value> {
  <Row>(field: NameOf<Row, Value>): TitledColumn<Row>;
  <Row>(title: string, value: (row: Row) => Value): TitledColumn<Row>;
}

const columnsOf =
  <Value>(cellOf: (value: Value) => Cell, align?: 'right'): MakeColumn<Value> =>
  <Row>(title: string, value?: (row: Row) => Value): TitledColumn<Row> => ({
    title: value ? title : titleOf(title),
    value: (row) => cellOf(value ? value(row) : (masked(row[title as keyof Row]) as Value)),
    align,
  });

/** A column under a title. */
export const column = columnsOf((value: Cell) => value);

/** A column of amounts, which are decimal strings. */
export const amounts = columnsOf((amount: string | null) => amount && amountText(amount), 'right');

const titled = <Row>(columns: readonly Column<Row>[]): TitledColumn<Row>[] =>
  columns.map((one) => (typeof one === 'string' ? column<Row>(one) : one));

const MARGIN = '  ';

/** A header and the rows; a sentence where there are no rows. */
export function textTable<Row>(rows: readonly Row[], given: readonly Column<Row>[]): string {
  if (rows.length === 0) return 'No entries.';
  const columns = titled(given);
  const values = rows.map((row) => columns.map(({ value }) => value(row)));
  const isRight = columns.map(
    ({ align }, index) =>
      align === 'right' || values.every((line) => typeof (line[index] ?? 0) === 'number'),
  );
  const cells = [
    columns.map(({ title }) => title.toUpperCase()),
    ...values.map((line) => line.map((value = null) => shown(value))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  );
  return cells
    .map((line) =>
      line
        .map((cell, index) =>
          isRight[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
        )
        .join(MARGIN)
        .trimEnd(),
    )
    .join('\n');
}

/** Rows as a document, and as a table for people. */
export const tableReport = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Report => ({ json: rows, text: textTable(rows, columns) });

/** Fields of a row, one per line. */
export const recordOf = <Row>(row: Row, fields: readonly Column<Row>[]): string =>
  record(Object.fromEntries(titled(fields).map(({ title, value }) => [title, value(row)])));

/** Names and values, one pair per line. */
export function record(pairs: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(pairs).map((name) => name.length));
  return Object.entries(pairs)
    .map(([name, value]) => `${name.padEnd(width)}${MARGIN}${shown(value)}`)
    .join('\n');
}
