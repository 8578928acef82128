import { type Expression, sql } from 'kysely';

/**
 * SQL expression: the part of a stored number by which it is found and compared. The indexes have the
 * same expression.
 */
export const numberKey = (column: Expression<unknown>) =>
  sql<string>`split_part(${column}, '.', 1)`;

/** SQL condition: a column has the number of this hash (`NumberBox.hashOf`); none has undefined. */
export const hasNumber = (column: string, hash: string | undefined) =>
  sql<boolean>`${numberKey(sql.ref(column))} = ${hash ?? null}`;
