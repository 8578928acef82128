import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { readRowCount } from '../books/sums.ts';
import { type Database, NOT_PREPARED, type Sql } from '../connection.ts';
import type { List, ListColumn, SortBy, Sought } from './list.ts';

/**
 * A count of rows up to a mark. For reference data the mark is a version. For added rows it is a moment, as PostgreSQL
 * writes it, before which all have been committed.
 */
interface CachedCount {
  readonly mark: string;
  readonly totalItems: number;
}

/** Maximum age of a count that depends on time, such as that of promos. */
const MAXIMUM_AGE_MS = 1_000;
const MAXIMUM_COUNTS = 1_000;

const counts = new WeakMap<Database, LRUCache<string, CachedCount>>();

/** The counts that the process remembers for a pool; the oldest is evicted. */
function countsOf(database: Database): LRUCache<string, CachedCount> {
  const known = counts.get(database) ?? new LRUCache<string, CachedCount>({ max: MAXIMUM_COUNTS });
  counts.set(database, known);
  return known;
}

/**
 * `same` is case-insensitive equality; the others are those of nestjs-paginate. Texts are ordered
 * by their lower case, code point by code point.
 */
export type FilterOperator =
  | 'eq'
  | 'same'
  | 'in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'btw'
  | 'ilike'
  | 'sw'
  | 'null';

/** Integers and decimals are text, which keeps all digits. */
export type FilterValue = string | boolean | Date;

/** One condition on a column; a null in the row fulfils only `null`, negated or not. */
export interface Condition {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly isNegated: boolean;
  /** As many as the operator needs. */
  readonly values: readonly FilterValue[];
}

/** A query of one page; every column belongs to the list. */
export interface ListQuery {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly sortBy: SortBy;
  /** All must hold. */
  readonly conditions: readonly Condition[];
  /** A text that one of the columns contains, ignoring case. */
  readonly search?: { readonly text: string; readonly columns: readonly string[] };
  readonly sought?: Sought;
  /** Whether the query is common enough for a prepared statement. */
  readonly isUsual: boolean;
  /** Whether "more than a thousand" will do where counting all rows would grow with the list. */
  readonly isCountBounded?: true;
}

/** Text folded for case-insensitive order and comparison, as the indexes of lists have it. */
const folded = (text: Sql): Sql => sql`(lower(${text}) collate "C")`;

/** The sort expression of a column. */
const sortExpression = ({ kind, expression }: ListColumn): Sql =>
  kind === 'text' ? folded(expression) : expression;

/** Whether a text contains another, ignoring case; wildcards are literal. */
const contains = (expression: Sql, text: FilterValue | undefined): Sql =>
  sql`position(lower(${text}::text) in lower(${expression})) > 0`;

/**
 * A condition as SQL with bound values. PostgreSQL assumes that few rows match a condition on a
 * joined table, and would sort all matches before the first page. With `fitsMany` the condition is
 * written so that PostgreSQL expects half of the rows, and walks the list in its order until the
 * page is full.
 */
function conditionSql(list: List<unknown>, condition: Condition, fitsMany: boolean): Sql {
  const column = list.columns[condition.column];
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

/** One page of a list, with the total number of rows. */
export interface ListPage<Row> {
  readonly items: Row[];
  /** 0 on a page without rows. */
  readonly totalItems: number;
  /** Whether there may be more rows than `totalItems`: of a bounded count. */
  readonly isAtLeast: boolean;
}

interface Totals {
  readonly listTotal: number;
  /** Absent where rows are counted each time. */
  readonly listMark?: string;
  /** How many of the total are up to the mark. */
  readonly listMarked?: number;
}

/**
 * Reads one page of a company's list in one statement and so in one snapshot. Counting grows with a
 * list, so counts are cached. A count of reference data is valid until its version changes. Rows
 * that are only added are counted up to a settled moment.
 */
export async function readListPage<Row>(
  database: Database,
  list: List<Row>,
  companyId: number,
  query: ListQuery,
): Promise<ListPage<Row>> {
  const { conditions, search, sought } = query;
  const key = JSON.stringify([list.name, companyId, conditions, search, sought]);
  const cached = countsOf(database).get(key);
  const known =
    cached ??
    (countsAdded(list, query) ? await readRowCount(database, list.name, companyId) : undefined);
  const { rows } = await pageStatement(list, companyId, query, known).execute(database);
  return pageOf(database, key, { list, query }, rows, known);
}

/** The page of the statement's rows; caches its count. */
function pageOf<Row>(
  database: Database,
  key: string,
  { list, query }: { readonly list: List<Row>; readonly query: ListQuery },
  rows: readonly (Row & Totals)[],
  known: CachedCount | undefined,
): ListPage<Row> {
  const [first] = rows;
  if (!first) return { items: [], totalItems: 0, isAtLeast: false };
  // A promo may have started since the count: the total is at least the shown rows.
  const shown = (query.page - 1) * query.limit + rows.length;
  const { listTotal, listMark, listMarked = listTotal } = first;
  const totalItems = Math.max(listTotal, shown);
  if (listMark !== undefined && listMark !== known?.mark)
    countsOf(database).set(
      key,
      { mark: listMark, totalItems: listMarked },
      { ttl: list.changesWithTime ? MAXIMUM_AGE_MS : 0 },
    );
  const items = rows.map(
    ({ listTotal: _total, listMark: _mark, listMarked: _marked, ...row }) => row as Row,
  );
  return { items, totalItems, isAtLeast: totalItems >= countedRows(list, query) };
}

/** Sorting this many rows is cheap. */
const FEW_ROWS = 500;

/** No transaction of the service lasts so long: what began before has ended. */
const SETTLED_AFTER = sql`interval '60 seconds'`;

/** Rows that a bounded count reads at least. */
const BOUNDED_COUNT = 1_000;

/** The rows that are counted at most, one more than the page and those before it; infinite where all are. */
const countedRows = (list: List<unknown>, query: ListQuery): number =>
  query.isCountBounded && !list.version && !countsAdded(list, query)
    ? Math.max(BOUNDED_COUNT, query.page * query.limit + 1)
    : Number.POSITIVE_INFINITY;

/** Whether all rows of a list are counted to which rows are only added. */
const countsAdded = (list: List<unknown>, { conditions, search, sought }: ListQuery): boolean =>
  list.addedAt !== undefined && conditions.length === 0 && !search && !sought;

/** The page's rows; each has the count. */
export function pageStatement<Row>(
  list: List<Row>,
  companyId: number,
  query: ListQuery,
  known: CachedCount | undefined,
): RawBuilder<Row & Totals> {
  const from = sql`from ${list.from(companyId)} where ${sql.join(
    [
      list.where(companyId),
      ...wanted(list, query, (known?.totalItems ?? 0) > FEW_ROWS),
      ...(query.sought && list.finds ? [list.finds(query.sought, companyId)] : []),
    ],
    sql` and `,
  )}`;
  const { counted, totals } =
    countsAdded(list, query) && list.addedAt
      ? addedTotals(from, { addedAt: list.addedAt, openSince: list.openSince ?? sql`null` }, known)
      : list.version
        ? versionTotals(from, list.version(companyId), known)
        : plainTotals(from, countedRows(list, query));
  return sql<Row & Totals>`
    ${query.isUsual ? sql`` : sql.raw(NOT_PREPARED)}
    ${counted} select ${list.select}, ${totals}
    ${from}
    order by ${order(list, query)}
    limit ${query.limit}::bigint offset ${(query.page - 1) * query.limit}::bigint`;
}

function versionTotals(from: Sql, version: RawBuilder<number>, known: CachedCount | undefined) {
  const totals = sql`case when ${version} = ${known?.mark ?? '0'}::bigint
      then ${known?.totalItems ?? 0}::bigint else (select count(1) ${from}) end as "listTotal",
    (${version})::text as "listMark"`;
  return { counted: sql``, totals };
}

/** Counts the rows each time, up to a number. */
function plainTotals(from: Sql, atMost: number) {
  const total = Number.isFinite(atMost)
    ? sql`(select count(1) from (select ${from} limit ${atMost}::bigint) as counted)`
    : sql`(select count(1) ${from})`;
  return { counted: sql``, totals: sql`${total} as "listTotal"` };
}

/** Counts the rows since the cached moment, and those of them that are settled by now. */
function addedTotals(
  from: Sql,
  { addedAt, openSince }: { readonly addedAt: Sql; readonly openSince: Sql },
  known: CachedCount | undefined,
) {
  const settledBefore = sql`least(now() - ${SETTLED_AFTER}, ${openSince})`;
  const counted = sql`with counted as materialized (
    select ${known?.totalItems ?? 0}::bigint + count(1) as total,
      ${known?.totalItems ?? 0}::bigint
        + count(1) filter (where ${addedAt} < ${settledBefore}) as settled
    ${from} and ${addedAt} >= ${known?.mark ?? '-infinity'}::timestamptz)`;
  const totals = sql`(select total from counted) as "listTotal",
    (${settledBefore})::text as "listMark", (select settled from counted) as "listMarked"`;
  return { counted, totals };
}

/** The caller's own conditions. */
function wanted(list: List<unknown>, { conditions, search }: ListQuery, fitsMany: boolean) {
  const found = conditions.map((condition) => conditionSql(list, condition, fitsMany));
  if (!search) return found;
  const hits = search.columns.flatMap((name) => {
    const column = list.columns[name];
    return column && column.kind !== 'look-up' ? [contains(column.expression, search.text)] : [];
  });
  return [...found, sql`(${sql.join(hits, sql` or `)})`];
}

/** Ties are broken by id, in the direction of the last column, so that pages never overlap. */
function order(list: List<unknown>, { sortBy }: ListQuery): Sql {
  const terms = sortBy.flatMap(([name, direction]) => {
    const column = list.columns[name];
    if (!column || column.kind === 'look-up') return [];
    return [sql`${sortExpression(column)} ${sql.raw(direction)}`];
  });
  const last = sortBy.at(-1)?.[1] ?? 'ASC';
  return sql.join([...terms, sql`${list.id} ${sql.raw(last)}`]);
}
