import { createServer } from 'node:http';
import Koa from 'koa';
import getRawBody from 'raw-body';
import { z } from 'zod';
import type { Config } from '../../src/config/config.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import type { Stops } from '../../src/local/start/stops.ts';
import { closeAtOnce, listen } from '../../src/runtime/process/health.ts';

const bodySchema = z.object({ keyDigest: z.base64() });

/**
 * A Koa application that does nothing but read a JSON body and find one row by an index, over the
 * service's own kind of connections. Returns its port.
 */
export async function startBareSelect(config: Config, stops: Stops): Promise<number> {
  const database = connectDatabase(config.database.databaseUrl, {
    poolSize: config.database.databasePoolSize,
  });
  stops.add(() => database.destroy());
  const app = new Koa();
  app.use(async (context) => {
    const text = await getRawBody(context.req, { encoding: 'utf8' });
    const { keyDigest } = bodySchema.parse(JSON.parse(text));
    const row = await database
      .selectFrom('api_keys')
      .select('id')
      .where('key_digest', '=', Buffer.from(keyDigest, 'base64'))
      .executeTakeFirstOrThrow();
    context.body = { success: true, data: row };
  });
  return serveBare(app, stops);
}

/** Serves an application on a free port of this machine. */
export function serveBare(app: Koa, stops: Stops): Promise<number> {
  const server = createServer(app.callback());
  stops.add(() => closeAtOnce(server));
  return listen(server, { host: '127.0.0.1', port: 0 }, () => {});
}
