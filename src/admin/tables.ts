import { formatGroupedAmount, parseMoney } from '../domain/money.ts';
import { zonedTime } from '../pages/language/time-zone.ts';

/** Tables and records for a terminal. */

/** A decimal string with grouped thousands: "1,250.00". */
export const moneyText = (decimal: string): string => formatGroupedAmount(parseMoney(decimal));

/** A time with seconds in the zone of the market, and in UTC for logs: with its day where that is another. */
export function timeText(date: Date): string {
  const { day, time } = zonedTime(date);
  const [utcDay, utcTime] = [date.toISOString().slice(0, 10), date.toISOString().slice(11, 16)];
  return `${day} ${time} (${utcDay === day ? '' : `${utcDay} `}${utcTime} UTC)`;
}

/** The same of a time inside JSON of the database. */
export const moment = (text: string | null): string | null => text && timeText(new Date(text));

/**
 * Removes control characters: companies choose some names, which must not overwrite other output.
 */
const shown = (value: string | number | null): string =>
  String(value ?? '-').replaceAll(/\p{Cc}/gu, '?');

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null;
  readonly align?: 'right';
}

/** A column of text. */
export const column = <Row>(
  title: string,
  value: (row: Row) => string | number | null,
): Column<Row> => ({ title, value });

/** A column of numbers, aligned right. */
export const numbers = <Row>(
  title: string,
  value: (row: Row) => string | number | null,
): Column<Row> => ({ title, value, align: 'right' });

const MARGIN = '  ';

/** A header and the rows; a sentence where there are no rows. */
export function textTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return 'No entries.';
  const cells = [
    columns.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => columns.map(({ value }) => shown(value(row)))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  );
  return cells
    .map((line) =>
      line
        .map((cell, index) =>
          columns[index]?.align === 'right'
            ? cell.padStart(widths[index] ?? 0)
            : cell.padEnd(widths[index] ?? 0),
        )
        .join(MARGIN)
        .trimEnd(),
    )
    .join('\n');
}

/** Names and values, one pair per line. */
export function record(pairs: Readonly<Record<string, string | number | null>>): string {
  const width = Math.max(...Object.keys(pairs).map((name) => name.length));
  return Object.entries(pairs)
    .map(([name, value]) => `${name.padEnd(width)}${MARGIN}${shown(value)}`)
    .join('\n');
}
