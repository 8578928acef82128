import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Schema } from './schema/all-tables.js';

/** A connection pool, or a transaction: what every query function takes first. */
export type Database = Kysely<Schema>;
export type DatabaseTransaction = Transaction<Schema>;

// Identity columns are bigint and far below 2^53; counts too. Numeric stays text: exact decimals.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** So many statements a connection remembers; lists of every shape cannot grow it without bound. */
const MAXIMUM_STATEMENTS = 200;

/** A comment that keeps a statement from being prepared. */
export const NOT_PREPARED = '/* of a form that few ask for */';

/** `select *` and `returning *`, as opposed to `count(*)` and a multiplication. */
const SELECTS_ALL = /\.\*|\*\s*(?:,|from\b)|(?:returning|,)\s*\*/i;

/** Names for the statements of one pool, as far as they are to be prepared. */
function createStatementNames() {
  const names = new Map<string, string>();
  return (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAXIMUM_STATEMENTS) return known;
    if (SELECTS_ALL.test(text) || text.includes(NOT_PREPARED)) return undefined;
    const name = `statement-${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

/**
 * The clients of one pool, whose statements are prepared: for small statements PostgreSQL spends more
 * time planning than executing. What has no values is left alone (migrations hold several commands),
 * and so is what selects `*`, whose columns may change under a running process. Each pool has its own
 * names, so that lists of every shape never use up the places of the statements that move money.
 */
function createPreparingClient(): typeof pg.Client {
  const statementName = createStatementNames();
  return class extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: pg's own signature has a dozen overloads.
    override query(...parameters: any[]): any {
      const [text, values, ...rest] = parameters;
      const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = isPlain ? statementName(text) : undefined;
      const forward = super.query as (...forwarded: unknown[]) => unknown;
      return name === undefined
        ? forward.apply(this, parameters)
        : forward.apply(this, [{ name, text, values }, ...rest]);
    }
  };
}

export interface ConnectionOptions {
  readonly poolSize: number;
  /** The longest that a statement may take. */
  readonly statementTimeoutMs?: number;
  /** Settings of each session, in place of the limits above, such as those of a migration. */
  readonly session?: Readonly<Record<string, number>>;
  /** Told of an idle connection that broke; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * A Kysely database over a pg pool. Connecting and statements have time limits, so that a request
 * fails cleanly instead of hanging when PostgreSQL is gone.
 */
export function connectDatabase(url: string, options: ConnectionOptions): Database {
  const pool = new pg.Pool({
    Client: createPreparingClient(),
    connectionString: url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: 15_000,
    idleTimeoutMillis: 60_000,
    application_name: 'voucher-topup-service',
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // In use but between two statements, a connection has no listener of the pool's, and its end would
  // end the process. The next statement on it fails, which is all that its user needs to know.
  pool.on('connect', (client) => client.on('error', () => {}));
  const settings = Object.entries(options.session ?? {});
  return new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool,
      async onCreateConnection(connection) {
        for (const [name, value] of settings)
          await connection.executeQuery(CompiledQuery.raw(`set ${name} = ${value}`));
      },
    }),
  });
}

/**
 * SQLSTATE classes of a verdict on the values of a statement, or on a table that it needs. All else,
 * such as a standby that only reads (25), a password that was changed (28) or a column that comes
 * with the next migration (42703), says nothing about what an earlier try has done.
 */
const DEFINITE_CLASSES = /^(22|23|P0|42P)/;

/** Whether an error is PostgreSQL's own verdict on a statement, so that repeating cannot help. */
export const isDefiniteDatabaseError = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && DEFINITE_CLASSES.test(error.code ?? '');

/** Lost or refused connection, a server that only reads, lock, overload, shutdown. */
const UNAVAILABLE_CLASSES = /^(08|25|28|3D|40|53|55|57|58)/;

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'];

/** Whether the database was away, full or shutting down, as opposed to refusing a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_CLASSES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // pg throws plain errors for connections that broke or could not be had in time.
  return NETWORK_CODES.includes(code) || /connection|timeout exceeded/i.test(error.message);
}

/** The database cannot be reached; the message names the setting that says where it is. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The database cannot be reached (DATABASE_URL): ${reason}`, { cause });
  }
}

/** Whether an error is the violation of one named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint;
}
