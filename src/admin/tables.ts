import { formatGroupedAmount, parseMoney } from '../domain/money.js';

/** Tables and records as people read them on a terminal. */

/** A decimal string as people write it: "1,250.00". */
export const money = (decimal: string): string => formatGroupedAmount(parseMoney(decimal));

/** A time in UTC, to the second. */
export const time = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

/** Some names are given by companies themselves: none may paint over what stands beside it. */
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

/** A column of numbers, which people compare by their ends. */
export const numbers = <Row>(
  title: string,
  value: (row: Row) => string | number | null,
): Column<Row> => ({ title, value, align: 'right' });

const MARGIN = '  ';

/** Titles, and below each its values; a sentence where there are no rows. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return 'There are none.';
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

/** Names and values, one pair a line. */
export function record(pairs: Readonly<Record<string, string | number | null>>): string {
  const width = Math.max(...Object.keys(pairs).map((name) => name.length));
  return Object.entries(pairs)
    .map(([name, value]) => `${name.padEnd(width)}${MARGIN}${shown(value)}`)
    .join('\n');
}
