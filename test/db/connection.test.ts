import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  connectDatabase,
  inTurn,
  isDatabaseUnavailable,
  isDefiniteDatabaseError,
  NOT_PREPARED,
  sendTogether,
  withSettings,
} from '../../src/db/connection.ts';
import { until } from '../support/until.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';

let open: OpenDatabase;

beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

test('a session that ends between two statements fails its transaction and nothing else', async () => {
  const { database } = open;
  const broken = database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
      transaction,
    );
    const pid = rows[0]?.pid;
    await sql`select pg_terminate_backend(${pid}::int)`.execute(database);
    // An error of the connection that nobody listens to would end the process here.
    await until(async () => {
      const left = await sql`select from pg_stat_activity where pid = ${pid}::int`.execute(
        database,
      );
      expect(left.rows).toEqual([]);
    });
    await sql`select 1`.execute(transaction);
  });
  await expect(broken).rejects.toThrow();
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database);
  expect(rows).toEqual([{ one: 1 }]);
});

test.each([
  ['a count', sql`select count(*) from partners where id > ${0}::bigint`, true],
  ['a multiplication', sql`select ${2}::float8 * 86400 as seconds`, true],
  ['columns by name', sql`select id, status from partners where id > ${0}::bigint`, true],
  ['all columns', sql`select * from partners where id > ${0}::bigint`, false],
  ['all of one table', sql`select partners.* from partners where id > ${0}::bigint`, false],
  ['all and more', sql`select *, 1 as one from partners where id > ${0}::bigint`, false],
  ['all of what was written', sql`delete from promos where id = ${0}::bigint returning *`, false],
  ['no values', sql`select id from partners`, false],
  [
    'a rare form',
    sql`${sql.raw(NOT_PREPARED)} select id from partners where id > ${0}::bigint`,
    false,
  ],
] as const)(
  'a statement of %s is prepared once, or not at all',
  async (_what, statement, isPrepared) => {
    const prepared = await open.database.connection().execute(async (connection) => {
      await statement.execute(connection);
      const { sql: text } = statement.compile(connection);
      const { rows } =
        await sql`select from pg_prepared_statements where statement = ${text}`.execute(connection);
      return rows.length;
    });
    expect(prepared).toBe(isPrepared ? 1 : 0);
  },
);

test('statements that are sent together run in order, and the first failure is the cause', async () => {
  const { database } = open;
  const divide = (by: number) => sql<{ result: number }>`select 12 / ${by}::int as result`;
  const divided = (numbers: readonly number[]) =>
    database
      .transaction()
      .execute((transaction) =>
        sendTogether(transaction, (together) => numbers.map((by) => divide(by).execute(together))),
      );
  const results = await divided([1, 2, 3]);
  expect(results.flatMap(({ rows }) => rows)).toEqual([
    { result: 12 },
    { result: 6 },
    { result: 4 },
  ]);
  // The statement behind it fails as well: its transaction is aborted.
  await expect(divided([1, 0, 2])).rejects.toMatchObject({ code: '22012' });
  const seen = await database
    .transaction()
    .execute((transaction) =>
      sendTogether(transaction, (together) => [
        sql`select set_config('test.written', 'earlier', true)`.execute(together),
        sql`select current_setting('test.written') as written`.execute(together),
        undefined,
      ]),
    );
  expect(seen[1].rows).toEqual([{ written: 'earlier' }]);
});

test.each([
  ['22003', 'a value that does not fit', 'definite'],
  ['23505', 'a constraint', 'definite'],
  ['P0001', 'a rule of our own', 'definite'],
  ['42P01', 'a table that is not there', 'definite'],
  ['42501', 'a right that a role lacks', 'definite'],
  ['42703', 'a column of the next migration', 'neither'],
  ['0A000', 'a plan of before a migration', 'neither'],
  ['25006', 'a standby that only reads', 'unavailable'],
  ['25P03', 'a session that was ended', 'unavailable'],
  ['28P01', 'a password that was changed', 'unavailable'],
  ['40P01', 'a deadlock', 'unavailable'],
  ['57014', 'a time limit', 'unavailable'],
])('%s, %s, is %s', (code, _what, verdict) => {
  const error = Object.assign(new pg.DatabaseError('of a test', 0, 'error'), { code });
  expect(isDefiniteDatabaseError(error)).toBe(verdict === 'definite');
  expect(isDatabaseUnavailable(error)).toBe(verdict === 'unavailable');
});

test('settings end a statement of their transactions, and hold nowhere else', async () => {
  const { database } = open;
  const sleeping = withSettings(database, { statement_timeout: 100 })
    .transaction()
    .execute((transaction) => sql`select pg_sleep(30)`.execute(transaction));
  await expect(sleeping).rejects.toMatchObject({ code: '57014' });
  const { rows } = await sql`show statement_timeout`.execute(database);
  expect(rows).toEqual([{ statement_timeout: '10s' }]);
});

test('all connections end with their database, also where only transactions with settings used them', async () => {
  const database = connectDatabase(inject('databaseAdminUrl'), { poolSize: 1 });
  const { rows } = await withSettings(database, { statement_timeout: 10_000 })
    .transaction()
    .execute((transaction) =>
      sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction),
    );
  await database.destroy();
  await until(async () => {
    const left = await sql`select from pg_stat_activity where pid = ${rows[0]?.pid}::int`.execute(
      open.database,
    );
    expect(left.rows).toEqual([]);
  });
});

test('work under one lock comes one after another, also after work that failed', async () => {
  const { database } = open;
  let atOnce = 0;
  const turns = [1, 2, 3, 4].map((turn) =>
    inTurn(database, 4_711, async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      // Longer than the next try.
      await sql`select pg_sleep(0.3)`.execute(database);
      atOnce -= 1;
      if (turn === 1) throw new Error('It failed');
      return turn;
    }),
  );
  const results = await Promise.allSettled(turns);
  expect(results.map(({ status }) => status)).toEqual([
    'rejected',
    ...Array.from({ length: 3 }, () => 'fulfilled'),
  ]);
  const { rows } =
    await sql`select from pg_locks where locktype = 'advisory' and objid = 4711`.execute(database);
  expect(rows).toEqual([]);
});
