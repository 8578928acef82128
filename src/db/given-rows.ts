import { type RawBuilder, sql } from 'kysely';

/** PostgreSQL's types of the columns. */
type ColumnTypes<Name extends string> = Readonly<
  Record<Name, 'text' | 'bigint' | 'boolean' | 'bytea'>
>;

/** SQL expressions, one behind the other. */
export const listed = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql`, `);

/** SQL expressions: the columns of `given`. A statement that selects `*` is not prepared. */
export const givenColumns = (columns: ColumnTypes<string>): RawBuilder<unknown> =>
  listed(Object.keys(columns).map((name) => sql.ref(`given.${name}`)));

/**
 * SQL expression behind `from`: the rows that a statement is given, named `given`, with their `place` from 1 on. The
 * statement has one array per column, so it is the same for any number of rows.
 */
export function givenRows<Name extends string>(
  columns: ColumnTypes<Name>,
  rows: readonly Readonly<Record<Name, unknown>>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Name[];
  const arrays = names.map(
    (name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name])}[]`,
  );
  return sql`unnest(${listed(arrays)}) with ordinality
    as given (${listed(names.map((name) => sql.ref(name)))}, place)`;
}
