import { sql } from 'kysely';
import type { Sql } from './connection.ts';

/** PostgreSQL's types of the columns. */
type ColumnTypes<Name extends string> = Readonly<
  Record<Name, 'text' | 'bigint' | 'numeric' | 'boolean' | 'bytea'>
>;

/** SQL expressions: the names of columns, of a table where it is given. A statement that selects `*` is not prepared. */
export const columnNames = (columns: ColumnTypes<string>, table?: string): Sql =>
  sql.join(Object.keys(columns).map((name) => sql.ref(table ? `${table}.${name}` : name)));

/**
 * SQL expression behind `from`: the rows that a statement is given, named `given`, with their `place` from 1 on. The
 * statement has one array per column, so it is the same for any number of rows. PostgreSQL expects ten rows of an
 * array that it does not know, but one row behind a limit. So it keeps one plan, instead of planning each statement for
 * its own arrays.
 */
export function givenRows<Name extends string>(
  columns: ColumnTypes<Name>,
  rows: readonly Readonly<Record<Name, unknown>>[],
): Sql {
  const arrays = (Object.keys(columns) as Name[]).map(
    (name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name])}[]`,
  );
  return sql`(
    select ${columnNames(columns)}, place
    from unnest(${sql.join(arrays)}) with ordinality as given (${columnNames(columns)}, place)
    limit ${rows.length}) as given`;
}
