import { type RawBuilder, sql } from 'kysely';
import { type Database, NOT_PREPARED } from '../connection.js';
import { type CachedCount, cacheCount, readCachedCount } from './count-cache.js';
import { conditionSql, contains, sortExpression } from './list-conditions.js';
import type { ListQuery, ListSource } from './list-query.js';

/** One page of a list, with the total number of rows. */
export interface ListPage<Row> {
  readonly items: Row[];
  /** 0 on a page without rows. */
  readonly totalItems: number;
}

interface Totals {
  readonly listTotal: number | null;
  readonly listVersion: number | null;
}

/**
 * Reads one page of a company's list in one statement and so in one snapshot. Counting grows with a
 * list, so the count of reference data is cached, and repeated when the version that the statement
 * reads has changed.
 */
export async function readListPage<Row>(
  database: Database,
  source: ListSource<Row>,
  companyId: number,
  query: ListQuery,
): Promise<ListPage<Row>> {
  const { conditions, search } = query;
  const key = JSON.stringify([source.name, companyId, conditions, search]);
  const known = source.version
    ? readCachedCount(database, key, source.changesWithTime ?? false)
    : undefined;
  const { rows } = await pageStatement(source, companyId, query, known).execute(database);
  const [first] = rows;
  if (!first) return { items: [], totalItems: 0 };
  // A promo may have started since the count: the total is at least the shown rows.
  const shown = (query.page - 1) * query.limit + rows.length;
  const totalItems = Math.max(first.listTotal ?? known?.totalItems ?? 0, shown);
  if (first.listTotal !== null && first.listVersion !== null)
    cacheCount(database, key, { version: first.listVersion, totalItems });
  const items = rows.map(({ listTotal, listVersion, ...row }) => row as Row);
  return { items, totalItems };
}

/** Sorting this many rows is cheap. */
const FEW_ROWS = 500;

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
  const version = source.version?.(companyId);
  const total = version
    ? sql`case when ${version} = ${known?.version ?? 0}::bigint then null
        else (select count(1) ${from}) end`
    : sql`(select count(1) ${from})`;
  return sql<Row & Totals>`
    ${query.isUsual ? sql`` : sql.raw(NOT_PREPARED)}
    select ${source.select}, ${total} as "listTotal",
      ${version ?? sql`null`} as "listVersion"
    ${from}
    order by ${order(source, query)}
    limit ${query.limit}::bigint offset ${(query.page - 1) * query.limit}::bigint`;
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
