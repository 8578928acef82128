import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { sql } from 'kysely';
import pg from 'pg';
import type { Config } from '../../src/config/config.ts';
import { priceSource } from '../../src/db/catalogue/prices.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { type ListQuery, type ListSource, pageStatement } from '../../src/db/lists/list-page.ts';
import {
  denominationSource,
  merchantCategorySource,
  merchantSource,
  productCategorySource,
  productSource,
  promoSource,
} from '../../src/db/lists/list-sources.ts';
import { topupSource } from '../../src/db/topups/topups.ts';
import type { Stops } from '../../src/local/start/stops.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';

/** Every list by its path. */
const sources: Readonly<Record<string, ListSource<object>>> = {
  '/merchants': merchantSource,
  '/merchant-categories': merchantCategorySource,
  '/promos': promoSource,
  '/product-list': productSource,
  '/product-categories-list': productCategorySource,
  '/gift-denominations': denominationSource,
  '/partner-gift-denomination-prices': priceSource,
  '/topup-transactions': topupSource,
};

/** The paths of all lists. */
export const listPaths: readonly string[] = Object.keys(sources);

/**
 * A Koa application that only runs the statement of a list's first page for the partner in the query
 * and prints the rows: no access check, no parsing, no count that the service has remembered.
 * Returns its port.
 */
export async function startBareLists(config: Config, stops: Stops): Promise<number> {
  const pool = new pg.Pool({
    connectionString: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
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
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  stops.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function currentVersion(
  database: Database,
  source: ListSource<object>,
  partnerId: number,
): Promise<number> {
  if (!source.version) return 0;
  const { rows } = await sql<{ version: number }>`
    select ${source.version(partnerId)} as version`.execute(database);
  return rows[0]?.version ?? 0;
}

/** The statement as the service sends it once it knows the count. */
async function firstPage(config: Config, path: string, partnerId: number): Promise<pg.QueryConfig> {
  const endpoint = partnerRoutes.endpoints.find((one) => one.path === path && one.method === 'GET');
  const source = sources[path];
  if (!endpoint?.query || !source) throw new RangeError('There is no such list');
  const database = connectDatabase(config.DATABASE_URL, { poolSize: 1 });
  try {
    const version = await currentVersion(database, source, partnerId);
    const query = endpoint.query.parse({}) as ListQuery;
    const page = pageStatement(source, partnerId, query, {
      version,
      totalItems: 0,
    }).compile(database);
    return { name: path, text: page.sql, values: [...page.parameters] };
  } finally {
    await database.destroy();
  }
}
