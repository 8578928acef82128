import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from './connection.ts';

/** How long a migration waits for the locks of tables that requests use. */
export interface LockPatience {
  /** The longest time that users of a table wait behind a migration's lock request. */
  readonly lockTimeoutMs?: number;
  /** Pause between two attempts, so that waiting users proceed. */
  readonly retryPauseMs?: number;
  /** For each migration. */
  readonly retrySeconds?: number;
}

/** Shorter than PostgreSQL's `deadlock_timeout` (a second): it is the migration that gives way. */
const LOCK_TIMEOUT_MS = 500;
const RETRY_PAUSE_MS = 500;
const RETRY_SECONDS = 600;

/**
 * Every so many attempts the migration insists. Requests lock tables in more than one order, so under
 * load there may always be one that waits for a table of the migration and has another that the
 * migration waits for. PostgreSQL then ends the request's transaction, and its worker repeats it.
 */
const ATTEMPTS_UNTIL_INSISTING = 3;

/** SQLSTATE of a lock timeout, and of a deadlock. */
const LOCK_CODES = ['55P03', '40P01'];

const isBlocked = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && LOCK_CODES.includes(error.code ?? '');

/** Tables that a migration needs were locked throughout. */
export class MigrationBlockedError extends Error {
  override readonly name = 'MigrationBlockedError';

  constructor(seconds: number, cause: unknown) {
    super(
      `The migration could not lock its tables within ${seconds} s: end the transactions that ` +
        'hold them (pg_stat_activity, pg_locks), or repeat it when less is going on',
      { cause },
    );
  }
}

/** Repeats a step that was rolled back because of locks; `database` has one connection. */
export async function untilUnblocked<Result>(
  database: Database,
  {
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    retryPauseMs = RETRY_PAUSE_MS,
    retrySeconds = RETRY_SECONDS,
  }: LockPatience,
  step: () => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + retrySeconds * 1_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const isInsisting = attempt % ATTEMPTS_UNTIL_INSISTING === 0;
      // PostgreSQL looks for a deadlock when a statement has waited for `deadlock_timeout`.
      await sql`
        select set_config('lock_timeout', ${
          isInsisting ? sql`(2 * setting::int)::text` : sql`${String(lockTimeoutMs)}`
        }, false)
        from pg_settings where name = 'deadlock_timeout'`.execute(database);
      return await step();
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (Date.now() > deadline) throw new MigrationBlockedError(retrySeconds, error);
      await sleep(retryPauseMs);
    }
  }
}

/** Advisory lock of processes that migrate. */
const MIGRATION_LOCK = 4_127_061_108;

/** Runs `migrate` while this process holds the lock of those that migrate, on one connection. */
export const oneAtATime = <Result>(
  database: Database,
  migrate: (lockHolder: Database) => Promise<Result>,
): Promise<Result> =>
  // A connection of the pool would be closed when it has been idle for a while.
  database.connection().execute(async (connection) => {
    const hasLock = async () => {
      const { rows } = await sql<{ has: boolean }>`
        select pg_try_advisory_lock(${MIGRATION_LOCK}) as has`.execute(connection);
      return rows[0]?.has === true;
    };
    // Waiting inside PostgreSQL would be a transaction, and building an index waits for those.
    while (!(await hasLock())) await sleep(200);
    return migrate(connection);
  });
