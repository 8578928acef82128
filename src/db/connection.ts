import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DeleteResult,
  DummyDriver,
  type InsertObject,
  type InsertResult,
  Kysely,
  type LogEvent,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type QueryExecutorProvider,
  type RawBuilder,
  type Selectable,
  sql,
  Transaction,
  type TransactionSettings,
  type UpdateObject,
  type UpdateResult,
} from 'kysely';
import pg from 'pg';
import { tracing } from '../runtime/tracing/tracing.ts';
import type { Schema } from './generated/tables.ts';

/** A connection pool or a transaction: the first argument of every query function. */
export type Database = Kysely<Schema>;
export type DatabaseTransaction = Transaction<Schema>;

/** A piece of SQL. */
export type Sql = RawBuilder<unknown>;

// Identity columns and counts are bigint and far below 2^53. Numeric stays text: exact decimals.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Limit of prepared statements per connection, because lists have unlimited variants. */
const MAXIMUM_STATEMENTS = 200;

/** A comment that prevents a statement from being prepared. */
export const NOT_PREPARED = '/* of a form that few ask for */';

/** Matches `select *` and `returning *`, but not `count(*)` or a multiplication. */
const SELECTS_ALL = /\.\*|\*\s*(?:,|from\b)|(?:returning|,)\s*\*/i;

/** Names for the prepared statements of one pool. */
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
 * A pg client that prepares statements: for small statements PostgreSQL spends more time on
 * planning than on execution. Excluded are statements without values (migrations contain several
 * commands) and those that select `*`, whose columns may change under a running process. Each pool
 * has its own names, so that variants of lists never displace the statements that move money.
 */
function createPreparingClient(): typeof pg.Client {
  const statementName = createStatementNames();
  return class extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: pg's own signature has a dozen overloads.
    override query(...parameters: any[]): any {
      this.corkForTick();
      const [text, values, ...rest] = parameters;
      if (text === 'begin') return this.beginWithNext();
      const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = isPlain ? statementName(text) : undefined;
      const forward = super.query as (...forwarded: unknown[]) => unknown;
      return name === undefined
        ? forward.apply(this, parameters)
        : forward.apply(this, [{ name, text, values }, ...rest]);
    }

    /**
     * A transaction begins in one packet with its first statement, which saves a round trip. A
     * statement that was sent behind a failed `begin` must not count: the connection ends.
     */
    private beginWithNext(): Promise<Pick<pg.QueryResult, 'command' | 'rows'>> {
      super.query('begin').catch((error) => this.stream.destroy(error));
      return Promise.resolve({ command: 'BEGIN', rows: [] });
    }

    /** The statements of one tick are one packet. */
    private corkForTick(): void {
      const { stream } = this;
      stream.cork();
      process.nextTick(() => stream.uncork());
    }

    private get stream(): Socket {
      return (this as unknown as { connection: { stream: Socket } }).connection.stream;
    }
  };
}

/** How many connections of a pool are used, and how many requests wait for one. */
interface PoolUse {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
  readonly limit: number;
}

/** Settings of PostgreSQL, in its base units, such as milliseconds. */
type Settings = Readonly<Record<string, number>>;

/** The parts of a database of `connectDatabase`. */
interface Source {
  readonly pool: pg.Pool;
  readonly config: PostgresDialectConfig;
  readonly settings: Settings;
  readonly end: () => Promise<void>;
}

const sources = new WeakMap<object, Source>();

function sourceOf(database: Database): Source {
  const source = sources.get(database);
  if (!source) throw new Error('This is not a database of connectDatabase');
  return source;
}

/** The use of the pool of a database at this moment. */
export function poolUseOf(database: Database): PoolUse {
  const { totalCount, idleCount, waitingCount, options } = sourceOf(database).pool;
  return {
    busy: totalCount - idleCount,
    idle: idleCount,
    waiting: waitingCount,
    limit: options.max,
  };
}

export interface ConnectionOptions {
  readonly poolSize: number;
  /** Statement timeout; 0 leaves it to PostgreSQL. A pooler ignores it, and the login's own timeout counts. */
  readonly statementTimeoutMs?: number;
  /** Time after which a statement without an answer fails, such as of a server that has vanished. */
  readonly answerTimeoutMs?: number;
  /** Age at which an idle connection is replaced. */
  readonly maximumAgeSeconds?: number;
  /** Awaited for each new connection before its first statement. */
  readonly onConnect?: (connection: DatabaseConnection) => Promise<void>;
  /** Called for a broken idle connection; the pool replaces it. */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * A Kysely database over a pg pool. Connecting and statements have timeouts, so that a request
 * fails cleanly when PostgreSQL is unavailable.
 */
export function connectDatabase(url: string, options: ConnectionOptions): Database {
  const pool = new pg.Pool({
    Client: createPreparingClient(),
    connectionString: url,
    max: options.poolSize,
    // Nothing is sent ahead of an answer but `begin` and `sendTogether`: Kysely awaits each statement of a transaction.
    pipeline: true,
    connectionTimeoutMillis: 5_000,
    // The system notices within minutes that a server has vanished without closing its connections.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    query_timeout: options.answerTimeoutMs,
    maxLifetimeSeconds: options.maximumAgeSeconds,
    idle_in_transaction_session_timeout: 15_000,
    idleTimeoutMillis: 60_000,
    application_name: 'voucher-topup-service',
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // Between two statements a connection in use has no listener of the pool, and an error would end
  // the process. The next statement on it fails, which is enough for its user.
  pool.on('connect', (client) => client.on('error', () => {}));
  let ended: Promise<void> | undefined;
  return databaseOf({
    pool,
    config: { pool, onCreateConnection: async (connection) => options.onConnect?.(connection) },
    settings: {},
    end() {
      ended ??= pool.end();
      return ended;
    },
  });
}

function databaseOf(source: Source): Database {
  const database = new Kysely<Schema>({
    dialect: new DialectWithSettings(source),
    ...(tracing() && { log: recordStatement }),
  });
  // By itself Kysely does not end a pool that only other databases of `withSettings` have used.
  database.destroy = source.end;
  sources.set(database, source);
  return database;
}

class DialectWithSettings extends PostgresDialect {
  readonly #source: Source;

  constructor(source: Source) {
    super(source.config);
    this.#source = source;
  }

  override createDriver(): PostgresDriver {
    return new DriverWithSettings(this.#source);
  }

  override createAdapter(): PostgresAdapter {
    return new AdapterWithoutLock();
  }
}

/** Kysely's lock of migrations belongs to a session. `migrateToLatest` has a lock that does not. */
class AdapterWithoutLock extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class DriverWithSettings extends PostgresDriver {
  readonly #settings: string;

  constructor({ config, settings }: Source) {
    super(config);
    this.#settings = Object.entries(settings)
      .map(([name, value]) => `set local ${name} = ${value}`)
      .join('; ');
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    transaction: TransactionSettings,
  ): Promise<void> {
    await super.beginTransaction(connection, transaction);
    if (this.#settings !== '') await connection.executeQuery(CompiledQuery.raw(this.#settings));
  }
}

/**
 * The same connections, with settings of PostgreSQL that hold in each transaction and end with it. A setting of a
 * session would stay with the connection of a pooler, and reach others. A transaction keeps its own settings.
 */
export function withSettings(database: Database, settings: Settings): Database {
  if (database.isTransaction) return database;
  const source = sourceOf(database);
  return databaseOf({ ...source, settings: { ...source.settings, ...settings } });
}

const unusedDialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('A transaction opens no further connection')),
});

/**
 * Sends statements of a transaction in one round trip, because none needs a result of another. PostgreSQL executes them
 * in the order in which `send` calls them. A function that waits between its statements sends the later ones behind those
 * of the others. Behind a failed statement PostgreSQL refuses the others, so that the first failure in this order is the
 * cause.
 */
export function sendTogether<const Sent extends readonly unknown[]>(
  transaction: DatabaseTransaction,
  send: (transaction: DatabaseTransaction) => Sent,
): Promise<{ -readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  const executor = transaction.getExecutor();
  return executor.provideConnection(async (connection) => {
    const together = new Transaction<Schema>({
      config: { dialect: unusedDialect },
      dialect: unusedDialect,
      driver: new DummyDriver(),
      // By itself Kysely sends a statement of a transaction once the one before it is answered.
      executor: executor.withConnectionProvider({ provideConnection: (use) => use(connection) }),
    });
    const sent = send(together);
    // None is under way when the transaction ends, and of settled failures the first one in order counts.
    await Promise.allSettled(sent);
    return Promise.all(sent);
  });
}

/** The longest text of a statement in a trace; the beginning tells which one it is. */
const TRACED_TEXT = 1_000;

/** Records a statement as a span: its text, in which values are only numbered, and its time. */
function recordStatement(event: LogEvent): void {
  const text = event.query.sql.replaceAll(/\s+/g, ' ').trim();
  const endedAtMs = performance.timeOrigin + performance.now();
  tracing()?.record({
    name: text.split(' ', 1)[0] ?? 'sql',
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, TRACED_TEXT) },
    startedAtMs: endedAtMs - event.queryDurationMillis,
    endedAtMs,
    failure: event.level === 'error' ? 'DatabaseError' : undefined,
  });
}

/**
 * SQLSTATE classes of a definite failure of a statement, or of a table or a right that it needs. Other
 * failures, such as a read-only standby (25), a changed password (28) or a column of a pending
 * migration (42703), prove nothing about an earlier attempt.
 */
const DEFINITE_CLASSES = /^(22|23|P0|42P|42501)/;

/** Whether an error is PostgreSQL's definite answer to a statement, so that a retry cannot help. */
export const isDefiniteDatabaseError = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && DEFINITE_CLASSES.test(error.code ?? '');

/** Lost or refused connection, read-only server, lock, overload, shutdown. */
const UNAVAILABLE_CLASSES = /^(08|25|28|3D|40|53|55|57|58)/;

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'];

/** Whether the database was unavailable, rather than refusing a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_CLASSES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // pg throws plain errors for broken connections and connection timeouts.
  return NETWORK_CODES.includes(code) || /connection|timeout exceeded/i.test(error.message);
}

/** The database cannot be reached; the message names its setting. */
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

/** SQL expression: when the transaction began. */
export const now = sql<Date>`now()`;

/** Writes and sends a statement: `` run`select …` ``. */
type Tag<Result> = (text: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Result>;

/** All rows of a statement in SQL. Kysely has such methods only for statements of its builder. */
export const allRows =
  <Row>(database: QueryExecutorProvider): Tag<Row[]> =>
  async (text, ...values) =>
    (await sql<Row>(text, ...values).execute(database)).rows;

/** The first row of a statement, if there is one. */
export const firstRow =
  <Row>(database: QueryExecutorProvider): Tag<Row | undefined> =>
  async (...statement) =>
    (await allRows<Row>(database)(...statement))[0];

/**
 * The row of a statement that always has one.
 *
 * @param problem what is wrong if it has none
 */
export const onlyRow =
  <Row>(database: QueryExecutorProvider, problem = 'The statement has no row'): Tag<Row> =>
  async (...statement) => {
    const row = await firstRow<Row>(database)(...statement);
    if (row === undefined) throw new Error(problem);
    return row;
  };

/** The first column of all rows of a statement. */
export const allValues =
  <Value>(database: QueryExecutorProvider): Tag<Value[]> =>
  async (...statement) =>
    (await allRows<object>(database)(...statement)).map((row) => Object.values(row)[0]);

/** The first column of the first row of a statement; `otherwise` where there is no row, or no value in it. */
export function firstValue<Value>(database: QueryExecutorProvider): Tag<Value | undefined>;
export function firstValue<Value>(database: QueryExecutorProvider, otherwise: Value): Tag<Value>;
export function firstValue<Value>(
  database: QueryExecutorProvider,
  otherwise?: Value,
): Tag<Value | undefined> {
  return async (...statement) => (await allValues<Value>(database)(...statement))[0] ?? otherwise;
}

/** Whether a statement finds a row. */
export const hasRows =
  (database: QueryExecutorProvider): Tag<boolean> =>
  async (...statement) =>
    (await allRows(database)(...statement)).length > 0;

/** How many rows a statement has inserted, changed or deleted. */
export const changedRows =
  (database: QueryExecutorProvider): Tag<number> =>
  async (text, ...values) =>
    Number((await sql(text, ...values).execute(database)).numAffectedRows ?? 0n);

/** Whether a statement of Kysely's builder inserts, changes or deletes a row. */
export async function changesRow(statement: {
  execute(): Promise<Partial<InsertResult & UpdateResult & DeleteResult>[]>;
}): Promise<boolean> {
  const [{ numInsertedOrUpdatedRows, numUpdatedRows, numDeletedRows } = {}] =
    await statement.execute();
  return (numInsertedOrUpdatedRows ?? numUpdatedRows ?? numDeletedRows ?? 0n) > 0n;
}

/** The tables whose rows have numbers as their ids. */
type NumberedTable = {
  [Table in keyof Schema]: Selectable<Schema[Table]> extends { id: number } ? Table : never;
}[keyof Schema];

/** Adds a row; returns its id. */
export async function addRow<Table extends NumberedTable>(
  database: Database,
  table: Table,
  row: InsertObject<Schema, Table>,
): Promise<number> {
  // Kysely does not resolve the columns of a table that is a type parameter.
  const insert = database.insertInto<NumberedTable>(table).values(row as never);
  const { id } = await insert.returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Changes a row by its id. */
export async function updateRow<Table extends NumberedTable>(
  database: Database,
  table: Table,
  id: number,
  values: UpdateObject<Schema, Table>,
): Promise<void> {
  // As in `addRow`.
  const update = database.updateTable<NumberedTable>(table).set(values as never);
  await update.where('id', '=', id).execute();
}

/** Runs work in one snapshot; a transaction keeps its own. */
export const inSnapshot = <Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> =>
  database.isTransaction
    ? work(database)
    : database.transaction().setIsolationLevel('repeatable read').execute(work);

/** Lets those who lock one name come one after another: the second one waits until the first transaction has ended. */
export async function lockName(transaction: DatabaseTransaction, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/** Whether a transaction gets an advisory lock at once; it holds the lock until it ends. */
export const getsLock = (transaction: Database, lock: number): Promise<boolean> =>
  // A statement with bound values would keep its snapshot until the next statement.
  firstValue(transaction, false)`select pg_try_advisory_xact_lock(${sql.lit(lock)}::bigint)`;

/** Time between two tries to get a lock. */
const TRY_MS = 200;

/**
 * Runs work while no other process runs work under the same advisory lock. A transaction of its own holds the lock:
 * that of a session would stay with the connection of a pooler. Between statements the transaction has no snapshot, so
 * neither vacuum nor the building of an index waits for it.
 *
 * @param database has at least one further connection, for the work
 */
export async function inTurn<Result>(
  database: Database,
  lock: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const tryIn = async (transaction: Database) =>
    (await getsLock(transaction, lock)) ? { result: await work() } : undefined;
  const holder = withSettings(database, { idle_in_transaction_session_timeout: 0 });
  for (;;) {
    const done = await (holder.isTransaction ? tryIn(holder) : holder.transaction().execute(tryIn));
    if (done) return done.result;
    // A statement that waits has a snapshot.
    await sleep(TRY_MS);
  }
}
