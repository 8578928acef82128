import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Schema } from './schema.js';

/** A connection pool, or a transaction: what every query function takes first. */
export type Database = Kysely<Schema>;
export type DatabaseTransaction = Transaction<Schema>;

// Identity columns are bigint and far below 2^53; counts too. Numeric stays text: exact decimals.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface ConnectionOptions {
  readonly poolSize: number;
  /** Told of an idle connection that broke; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * A Kysely database over a pg pool. Connecting and statements have time limits, so that a request
 * fails cleanly instead of hanging when PostgreSQL is gone.
 */
export function connectDatabase(url: string, options: ConnectionOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 15_000,
    idleTimeoutMillis: 60_000,
    application_name: 'voucher-topup-service',
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** SQLSTATE classes after which the same statement may succeed: lost connection, overload, locks. */
const TRANSIENT_CLASSES = ['08', '40', '53', '55', '57', '58'];

/** Whether an error is PostgreSQL's own verdict on a statement, so that repeating cannot help. */
export function isDefiniteDatabaseError(error: unknown): error is pg.DatabaseError {
  return (
    error instanceof pg.DatabaseError &&
    error.code !== undefined &&
    !TRANSIENT_CLASSES.includes(error.code.slice(0, 2))
  );
}

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'];

/** Whether the database was away, full or shutting down, as opposed to refusing a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !isDefiniteDatabaseError(error);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // pg throws plain errors for connections that broke or could not be had in time.
  return NETWORK_CODES.includes(code) || /connection|timeout exceeded/i.test(error.message);
}

/** Whether an error is the violation of one named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint;
}
