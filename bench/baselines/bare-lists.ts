import Koa from 'koa';
import { sql } from 'kysely';
import pg from 'pg';
import type { Config } from '../../src/config/config.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import {
  denominationList,
  merchantCategoryList,
  merchantList,
  priceList,
  productCategoryList,
  productList,
  promoList,
} from '../../src/db/lists/catalogue.ts';
import type { List } from '../../src/db/lists/list.ts';
import { type ListQuery, pageStatement } from '../../src/db/lists/list-page.ts';
import { topupList } from '../../src/db/lists/topups.ts';
import type { Stops } from '../../src/local/start/stops.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { serveBare } from './bare-select.ts';

/** Every list by its path. */
const lists: Readonly<Record<string, List<object>>> = {
  '/merchants': merchantList,
  '/merchant-categories': merchantCategoryList,
  '/promos': promoList,
  '/product-list': productList,
  '/product-categories-list': productCategoryList,
  '/gift-denominations': denominationList,
  '/partner-gift-denomination-prices': priceList,
  '/topup-transactions': topupList,
};

/** The paths of all lists. */
export const listPaths: readonly string[] = Object.keys(lists);

/**
 * A Koa application that only runs the statement of a list's first page for the partner in the query
 * and prints the rows: no access check, no parsing, no count that the service has remembered.
 * Returns its port.
 */
export async function startBareLists(config: Config, stops: Stops): Promise<number> {
  const pool = new pg.Pool({
    connectionString: config.database.databaseUrl,
    max: config.database.databasePoolSize,
  });
  stops.add(() => pool.end());
  const statements = new Map<string, pg.QueryConfig>();
  const statementOf = async (path: string, partnerId: number) => {
    const key = `${path} ${partnerId}`;
    const statement = statements.get(key) ?? (await firstPage(config, path, partnerId));
    statements.set(key, statement);
    return statement;
  };
  const app = new Koa();
  app.use(async (context) => {
    const statement = await statementOf(context.path, Number(context.query.partner));
    const { rows } = await pool.query(statement);
    context.body = { success: true, data: rows };
  });
  return serveBare(app, stops);
}

async function currentVersion(
  database: Database,
  list: List<object>,
  partnerId: number,
): Promise<number> {
  if (!list.version) return 0;
  const { rows } = await sql<{ version: number }>`
    select ${list.version(partnerId)} as version`.execute(database);
  return rows[0]?.version ?? 0;
}

/** The statement as the service sends it once it knows the count. */
async function firstPage(config: Config, path: string, partnerId: number): Promise<pg.QueryConfig> {
  const endpoint = partnerRoutes.endpoints.find((one) => one.path === path && one.method === 'GET');
  const list = lists[path];
  if (!endpoint?.query || !list) throw new RangeError('There is no such list');
  const database = connectDatabase(config.database.databaseUrl, { poolSize: 1 });
  try {
    const version = await currentVersion(database, list, partnerId);
    const query = endpoint.query.parse({}) as ListQuery;
    const page = pageStatement(list, partnerId, query, {
      mark: String(version),
      totalItems: 0,
    }).compile(database);
    return { name: path, text: page.sql, values: [...page.parameters] };
  } finally {
    await database.destroy();
  }
}
