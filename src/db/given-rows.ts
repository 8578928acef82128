import { sql } from 'kysely';
import type { Sql } from './connection.ts';

/** PostgreSQL's types of the columns. */
type ColumnTypes<Name extends string> = Readonly<
  Record<Name, 'text' | 'bigint' | 'boolean' | 'bytea'>
>;

/** SQL expressions: the names of columns, of a table where it is given. A statement that selects `*` is not prepared. */
export const columnNames = (columns: ColumnTypes<string>, table?: string): Sql =>
  sql.join(Object.keys(columns).map((name) => sql.ref(table ? `${table}.${name}` : name)));

/**
 * SQL expression behind `from`: the rows that a statement is given, named `given`, with their `place` from 1 on. The
 * statement has one array per column, so it is the same for any number of rows.
 */
export function givenRows<Name extends string>(
  columns: ColumnTypes<Name>,
  rows: readonly Readonly<Record<Name, unknown>>[],
): Sql {
  const arrays = (Object.keys(columns) as Name[]).map(
    (name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name])}[]`,
  );
  return sql`unnest(${sql.join(arrays)}) with ordinality as given (${columnNames(columns)}, place)`;
}
