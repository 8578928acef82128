import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../src/db/connection.ts';
import { until } from './until.ts';

/** Waits until so many statements of this database wait for a lock, of one login or of any. */
export const untilBlocked = (database: Database, statements = 1, login = '%') =>
  until(async () => {
    const { rows } = await sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and usename like ${login}`.execute(database);
    expect(rows.length).toBeGreaterThanOrEqual(statements);
  });

/**
 * Waits until exactly so many statements wait for what a transaction holds, or behind one that does. Others of the
 * database may wait for other locks.
 */
export async function untilBlockedBy(
  holder: Database,
  database: Database,
  statements: number,
): Promise<void> {
  const { rows: own } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(holder);
  await until(async () => {
    const { rows } = await sql<{ waiting: number }>`
      with recursive waiting (pid) as (
        select ${own[0]?.pid}::int
        union
        select activity.pid from pg_stat_activity as activity
        join waiting on waiting.pid = any(pg_blocking_pids(activity.pid)))
      select count(*)::int - 1 as waiting from waiting`.execute(database);
    expect(rows[0]?.waiting).toBe(statements);
  });
}

/**
 * Lets requests run into a table that nobody may touch, does something else once they wait there, and
 * opens the table again. Returns what the requests came to.
 */
export async function stoppedAt<Result>(
  database: Database,
  table: string,
  requests: readonly (() => Promise<Result>)[],
  meanwhile: () => Promise<unknown>,
  /** Of the statement that waits first: work in the background of other logins waits there, too. */
  login?: string,
): Promise<Result[]> {
  const { running } = await database.transaction().execute(async (transaction) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
    const results = requests.map((request) => request());
    await untilBlocked(database, 1, login);
    await meanwhile();
    // In an object, so that the results are not awaited while the lock is held.
    return { running: results };
  });
  return Promise.all(running);
}
