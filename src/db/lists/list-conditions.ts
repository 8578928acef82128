import { type RawBuilder, sql } from 'kysely';
import type { Condition, FilterValue, ListColumn, ListSource } from './list-query.ts';

type Sql = RawBuilder<unknown>;

/** Text folded for case-insensitive order and comparison; see migration 6. */
const folded = (text: Sql): Sql => sql`(lower(${text}) collate "C")`;

/** The sort expression of a column. */
export const sortExpression = ({ kind, expression }: ListColumn): Sql =>
  kind === 'text' ? folded(expression) : expression;

/** Whether a text contains another, ignoring case; wildcards are literal. */
export const contains = (expression: Sql, text: FilterValue | undefined): Sql =>
  sql`position(lower(${text}::text) in lower(${expression})) > 0`;

/**
 * A condition as SQL with bound values. PostgreSQL assumes that few rows match a condition on a
 * joined table, and would sort all matches before the first page. With `fitsMany` the condition is
 * written so that PostgreSQL expects half of the rows, and walks the list in its order until the
 * page is full.
 */
export function conditionSql(
  source: ListSource<unknown>,
  condition: Condition,
  fitsMany: boolean,
): Sql {
  const column = source.columns[condition.column];
  if (!column) throw new RangeError('The condition names no column of the list');
  const holds =
    column.kind === 'look-up'
      ? column.matches(String(condition.values[0]))
      : column.kind === 'time'
        ? timeCondition(column.expression, condition)
        : column.isRelated && fitsMany
          ? sql`(${valueCondition(column, condition)})::text::boolean`
          : valueCondition(column, condition);
  return condition.isNegated ? sql`not (${holds})` : holds;
}

const types = { text: 'text', integer: 'bigint', decimal: 'numeric', boolean: 'boolean' } as const;

function valueCondition(column: ListColumn, { operator, values }: Condition): Sql {
  const { kind, expression } = column;
  const type = sql.raw(types[kind as keyof typeof types]);
  const [first, second] = values;
  const bound = (value: FilterValue | undefined) => sql`${value}::${type}`;
  const ordered = sortExpression(column);
  const inOrder = (value: FilterValue | undefined) =>
    kind === 'text' ? folded(bound(value)) : bound(value);
  switch (operator) {
    case 'eq':
      return sql`${expression} = ${bound(first)}`;
    case 'same':
      return sql`${ordered} = ${inOrder(first)}`;
    case 'in':
      return sql`${expression} = any(${values}::${type}[])`;
    case 'gt':
      return sql`${ordered} > ${inOrder(first)}`;
    case 'gte':
      return sql`${ordered} >= ${inOrder(first)}`;
    case 'lt':
      return sql`${ordered} < ${inOrder(first)}`;
    case 'lte':
      return sql`${ordered} <= ${inOrder(first)}`;
    case 'btw':
      return sql`${ordered} between ${inOrder(first)} and ${inOrder(second)}`;
    case 'ilike':
      return contains(expression, first);
    case 'sw':
      return sql`starts_with(lower(${expression}), lower(${bound(first)}))`;
    case 'null':
      return sql`${expression} is null`;
  }
}

/**
 * Times are stored with microseconds and shown with milliseconds: a filter by a shown time means
 * its whole millisecond.
 */
function timeCondition(expression: Sql, { operator, values }: Condition): Sql {
  const at = (value: FilterValue | undefined) => sql`${value}::timestamptz`;
  const after = (value: FilterValue | undefined) =>
    at(value instanceof Date ? new Date(value.getTime() + 1) : value);
  const within = (from: FilterValue | undefined, to: FilterValue | undefined) =>
    sql`(${expression} >= ${at(from)} and ${expression} < ${after(to)})`;
  const [first, second] = values;
  switch (operator) {
    case 'in':
      return sql`(${sql.join(
        values.map((value) => within(value, value)),
        sql` or `,
      )})`;
    case 'gt':
      return sql`${expression} >= ${after(first)}`;
    case 'gte':
      return sql`${expression} >= ${at(first)}`;
    case 'lt':
      return sql`${expression} < ${at(first)}`;
    case 'lte':
      return sql`${expression} < ${after(first)}`;
    case 'btw':
      return within(first, second);
    case 'null':
      return sql`${expression} is null`;
    default:
      return within(first, first);
  }
}
