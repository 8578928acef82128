import { type RawBuilder, sql } from 'kysely';
import { readRowCount } from '../books/row-counts.ts';
import { type Database, NOT_PREPARED } from '../connection.ts';
import { type CachedCount, cacheCount, readCachedCount, withAddedCount } from './count-cache.ts';
import { conditionSql, contains, sortExpression } from './list-conditions.ts';
import type { ListQuery, ListSource } from './list-query.ts';

/** One page of a list, with the total number of rows. */
export interface ListPage<Row> {
  readonly items: Row[];
  /** 0 on a page without rows. */
  readonly totalItems: number;
  /** Whether there may be more rows than `totalItems`: of a bounded count. */
  readonly isAtLeast: boolean;
}

interface Totals {
  readonly listTotal: number | null;
  readonly listVersion: number | null;
  /** Of added rows: the moment before which no more are to come, and how many of the total those are. */
  readonly listAddedBefore: string | null;
  readonly listSettled: number | null;
}

/**
 * Reads one page of a company's list in one statement and so in one snapshot. Counting grows with a
 * list, so counts are cached: of reference data until the version that the statement reads has
 * changed, of rows that are only added up to a moment that is settled.
 */
export async function readListPage<Row>(
  database: Database,
  source: ListSource<Row>,
  companyId: number,
  query: ListQuery,
): Promise<ListPage<Row>> {
  const { conditions, search } = query;
  const key = JSON.stringify([source.name, companyId, conditions, search]);
  const read = async (known?: CachedCount) => {
    const { rows } = await pageStatement(source, companyId, query, known).execute(database);
    return pageOf(database, key, { source, query }, rows, known);
  };
  if (countsAdded(source, query))
    return withAddedCount(database, key, async (known) =>
      read(known ?? (await readRowCount(database, source.name, companyId))),
    );
  return read(source.version && readCachedCount(database, key, source.changesWithTime ?? false));
}

/** The page of the statement's rows; caches its count. */
function pageOf<Row>(
  database: Database,
  key: string,
  { source, query }: { readonly source: ListSource<Row>; readonly query: ListQuery },
  rows: readonly (Row & Totals)[],
  known: CachedCount | undefined,
): ListPage<Row> {
  const [first] = rows;
  if (!first) return { items: [], totalItems: 0, isAtLeast: false };
  // A promo may have started since the count: the total is at least the shown rows.
  const shown = (query.page - 1) * query.limit + rows.length;
  const totalItems = Math.max(first.listTotal ?? known?.totalItems ?? 0, shown);
  if (first.listTotal !== null && first.listVersion !== null)
    cacheCount(database, key, { version: first.listVersion, totalItems });
  if (first.listAddedBefore !== null)
    cacheCount(database, key, {
      addedBefore: first.listAddedBefore,
      totalItems: first.listSettled ?? 0,
    });
  const items = rows.map(
    ({ listTotal, listVersion, listAddedBefore, listSettled, ...row }) => row as Row,
  );
  return { items, totalItems, isAtLeast: totalItems >= countedRows(source, query) };
}

/** Sorting this many rows is cheap. */
const FEW_ROWS = 500;

/** No transaction of the service lasts so long: what began before has ended. */
const SETTLED_AFTER = sql`interval '60 seconds'`;

/** Rows that a bounded count reads at least. */
const BOUNDED_COUNT = 1_000;

/** The rows that are counted at most, one more than the page and those before it; infinite where all are. */
const countedRows = (source: ListSource<unknown>, query: ListQuery): number =>
  query.isCountBounded && !source.version && !countsAdded(source, query)
    ? Math.max(BOUNDED_COUNT, query.page * query.limit + 1)
    : Number.POSITIVE_INFINITY;

/** Whether all rows of a list are counted to which rows are only added. */
const countsAdded = (source: ListSource<unknown>, { conditions, search }: ListQuery): boolean =>
  source.addedAt !== undefined && conditions.length === 0 && search === undefined;

/** The page's rows; each has the count, unless the cached one is valid. */
export function pageStatement<Row>(
  source: ListSource<Row>,
  companyId: number,
  query: ListQuery,
  known: CachedCount | undefined,
): RawBuilder<Row & Totals> {
  const from = sql`from ${source.from(companyId)} where ${sql.join(
    [source.where(companyId), ...wanted(source, query, (known?.totalItems ?? 0) > FEW_ROWS)],
    sql` and `,
  )}`;
  const { counted, totals } =
    countsAdded(source, query) && source.addedAt
      ? addedTotals(from, source.addedAt, known)
      : source.version
        ? versionTotals(from, source.version(companyId), known)
        : plainTotals(from, countedRows(source, query));
  return sql<Row & Totals>`
    ${query.isUsual ? sql`` : sql.raw(NOT_PREPARED)}
    ${counted} select ${source.select}, ${totals}
    ${from}
    order by ${order(source, query)}
    limit ${query.limit}::bigint offset ${(query.page - 1) * query.limit}::bigint`;
}

function versionTotals(
  from: RawBuilder<unknown>,
  version: RawBuilder<number>,
  known: CachedCount | undefined,
) {
  const totals = sql`case when ${version} = ${known?.version ?? 0}::bigint then null
      else (select count(1) ${from}) end as "listTotal", ${version} as "listVersion",
    null as "listAddedBefore", null as "listSettled"`;
  return { counted: sql``, totals };
}

/** Counts the rows each time, up to a number. */
function plainTotals(from: RawBuilder<unknown>, atMost: number) {
  const total = Number.isFinite(atMost)
    ? sql`(select count(1) from (select ${from} limit ${atMost}::bigint) as counted)`
    : sql`(select count(1) ${from})`;
  const totals = sql`${total} as "listTotal", null as "listVersion",
    null as "listAddedBefore", null as "listSettled"`;
  return { counted: sql``, totals };
}

/** Counts the rows since the cached moment, and those of them that are settled by now. */
function addedTotals(
  from: RawBuilder<unknown>,
  addedAt: RawBuilder<Date>,
  known: CachedCount | undefined,
) {
  const settledBefore = sql`now() - ${SETTLED_AFTER}`;
  const counted = sql`with counted as materialized (
    select ${known?.totalItems ?? 0}::bigint + count(1) as total,
      ${known?.totalItems ?? 0}::bigint
        + count(1) filter (where ${addedAt} < ${settledBefore}) as settled
    ${from} and ${addedAt} >= ${known?.addedBefore ?? '-infinity'}::timestamptz)`;
  const totals = sql`(select total from counted) as "listTotal", null as "listVersion",
    (${settledBefore})::text as "listAddedBefore", (select settled from counted) as "listSettled"`;
  return { counted, totals };
}

/** The caller's own conditions. */
function wanted(source: ListSource<unknown>, { conditions, search }: ListQuery, fitsMany: boolean) {
  const found = conditions.map((condition) => conditionSql(source, condition, fitsMany));
  if (!search) return found;
  const hits = search.columns.flatMap((name) => {
    const column = source.columns[name];
    return column && column.kind !== 'look-up' ? [contains(column.expression, search.text)] : [];
  });
  return [...found, sql`(${sql.join(hits, sql` or `)})`];
}

/** Ties are broken by id, in the direction of the last column, so that pages never overlap. */
function order(source: ListSource<unknown>, { sortBy }: ListQuery): RawBuilder<unknown> {
  const terms = sortBy.flatMap(([name, direction]) => {
    const column = source.columns[name];
    if (!column || column.kind === 'look-up') return [];
    return [sql`${sortExpression(column)} ${sql.raw(direction)}`];
  });
  const last = sortBy.at(-1)?.[1] ?? 'ASC';
  return sql.join([...terms, sql`${source.id} ${sql.raw(last)}`]);
}
