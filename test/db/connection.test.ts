import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type OpenDatabase, openDatabase } from './open-database.js';

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
    await vi.waitFor(async () => {
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
