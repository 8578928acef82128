import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { requestLog } from '../../../src/http/observation.ts';
import { noMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { describeError } from '../../../src/runtime/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const SECRET = '+251911234567';

describe('describeError', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = connectDatabase(testDatabase.url, { poolSize: 1 });
  });
  afterAll(async () => {
    await database?.destroy();
    await testDatabase?.drop();
  });

  const failureOf = (statement: ReturnType<typeof sql>): Promise<unknown> =>
    statement.execute(database).catch((error: unknown) => error);

  it.each([
    [
      'a check that a row violates',
      sql`insert into merchant_categories (category_name, deleted_at, is_active)
        values (${SECRET}, now(), null)`,
      { code: '23502', constraint: undefined },
    ],
    [
      'a value that is there twice',
      sql`insert into product_categories (category_name, category_description)
        values (${SECRET}, ''), (${SECRET}, '')`,
      { code: '23505', constraint: 'product_categories_category_name_key' },
    ],
    [
      'a value of another type',
      sql`select ${SECRET}::uuid`,
      { code: '22P02', constraint: undefined },
    ],
  ])('names %s without the row', async (_name, statement, described) => {
    const error = await failureOf(statement);
    expect(`${error} ${JSON.stringify(error)}`).toContain(SECRET);
    expect(describeError(error)).toEqual({ error: 'DatabaseError', ...described });
  });

  it('does so for the cause of an error too', async () => {
    const cause = await failureOf(sql`select ${SECRET}::uuid`);
    const described = describeError(new Error('The request failed', { cause }));
    expect(described).toMatchObject({
      error: 'Error',
      errorMessage: 'The request failed',
      stack: expect.stringContaining('request-log.test.ts'),
      cause: { error: 'DatabaseError', code: '22P02' },
    });
    expect(JSON.stringify(described)).not.toContain(SECRET);
  });

  it.each([
    ['text', SECRET, { error: 'string' }],
    ['nothing', undefined, { error: 'undefined' }],
    ['an object', { msisdn: SECRET }, { error: 'object' }],
  ])('names only the type of what is no error: %s', (_name, thrown, described) => {
    expect(describeError(thrown)).toEqual(described);
  });
});

describe('requestLog', () => {
  const lines: Record<string, unknown>[] = [];
  let server: Server;

  beforeAll(async () => {
    const logger = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
    const app = new Koa();
    app.use(requestLog(logger, noMetrics));
    app.use((context) => {
      Object.assign(context.state.log, { route: '/topup-transactions/:voucherCode' });
      context.state.statusCode = 4041;
      context.status = 404;
      context.body = {};
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server?.close();
    server?.closeAllConnections();
  });

  it('writes one line with the pattern of the path, never the path', async () => {
    const { port } = server.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}/topup-transactions/0123-4567-89AB-CDEF?q=${SECRET}`;
    const response = await fetch(address, { headers: { 'x-api-token': 'secret-token' } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      msg: 'request',
      requestId: response.headers.get('x-request-id'),
      route: '/topup-transactions/:voucherCode',
      method: 'GET',
      status: 404,
      statusCode: 4041,
      milliseconds: expect.any(Number),
    });
    expect(JSON.stringify(lines)).not.toMatch(/0123-4567|251911234567|secret-token/);
  });
});
