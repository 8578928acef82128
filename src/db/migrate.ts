import { readdirSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { FileMigrationProvider, type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import {
  allRows,
  connectDatabase,
  type Database,
  DatabaseUnreachableError,
  firstRow,
  firstValue,
  inTurn,
  isDatabaseUnavailable,
  withSettings,
} from './connection.ts';
import { ensureRoles, fixTriggers } from './rights/roles.ts';

/** An index on a possibly big table; its name is the key. */
type Indexes = Readonly<Record<string, { readonly table: string; readonly columns: string }>>;

/**
 * Builds indexes on existing tables during writes. Building waits for running transactions but
 * blocks none, so it has no time limit.
 */
async function makeIndexes(database: Database, indexes: Indexes): Promise<void> {
  for (const [name, index] of Object.entries(indexes)) await makeIndex(database, name, index);
}

/** Builds a missing index; an interrupted build leaves an invalid index, which is rebuilt. */
async function makeIndex(
  database: Database,
  name: string,
  { table, columns }: { readonly table: string; readonly columns: string },
): Promise<void> {
  const found = await firstRow<{ exists: boolean; isValid: boolean | null }>(database)`
    select to_regclass(${table}) is not null as exists,
      (select indisvalid from pg_index where indexrelid = to_regclass(${name})) as "isValid"
  `;
  if (!found?.exists || found.isValid) return;
  if (found.isValid === false)
    await sql`drop index concurrently ${sql.ref(name)}`.execute(database);
  await sql`
    create index concurrently ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
  `.execute(database);
}

/** How long a migration waits for the locks of tables that requests use. */
interface LockPatience {
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
 * Every so many attempts the migration insists. Requests lock tables in more than one order. So
 * under load one of them may always wait for a table of the migration, and hold another that the
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

/** The database has migrations that this release does not have, and lacks some that it has. */
export class OtherReleaseError extends Error {
  override readonly name = 'OtherReleaseError';

  constructor(cause: Error) {
    super(
      `The database is of another release (${cause.message}): run that release, or begin with another ` +
        'database (DATABASE_URL), with "npm start" in another folder (DATA_DIR)',
      { cause },
    );
  }
}

/** How Kysely begins to say that an executed migration is none of ours. */
const OTHER_MIGRATIONS = 'corrupted migrations';

/** Repeats a step that was rolled back because of locks; its transactions wait no longer for any. */
async function untilUnblocked<Result>(
  database: Database,
  {
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    retryPauseMs = RETRY_PAUSE_MS,
    retrySeconds = RETRY_SECONDS,
  }: LockPatience,
  step: (patient: Database) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + retrySeconds * 1_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const isInsisting = attempt % ATTEMPTS_UNTIL_INSISTING === 0;
      const limitMs = isInsisting ? 2 * (await deadlockTimeoutMs(database)) : lockTimeoutMs;
      return await step(withSettings(database, { lock_timeout: limitMs }));
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (Date.now() > deadline) throw new MigrationBlockedError(retrySeconds, error);
      await sleep(retryPauseMs);
    }
  }
}

/** PostgreSQL looks for a deadlock when a statement has waited for so long. */
const deadlockTimeoutMs = (database: Database) =>
  firstValue<number>(database, 0)`
    select setting::int from pg_settings where name = 'deadlock_timeout'`;

/** Advisory lock of processes that migrate. */
const MIGRATION_LOCK = 4_127_061_108;

/** `indexes` are built before the migration without blocking writes, if their tables exist. */
type MigrationWithIndexes = Migration & { readonly indexes?: Indexes };

type Migrations = Readonly<Record<string, MigrationWithIndexes>>;

interface Options extends LockPatience {
  readonly migrations?: Migrations;
}

/** The modules of the folder by their names: of the sources, or of what the build made of them. */
const migrationsOfFolder = (): Promise<Migrations> =>
  new FileMigrationProvider({
    fs,
    path,
    migrationFolder: path.join(import.meta.dirname, '../../migrations'),
  }).getMigrations();

/**
 * Migrates the schema to its latest version, each migration in a transaction of its own, so that it
 * holds the locks of few tables and not for long. Safe to run in several processes at once: one
 * migrates, and the others wait. A statement may take as long as a big table needs. None waits long
 * for a lock, since all others would wait behind it: the migration is rolled back and retried.
 *
 * Then it grants each process its rights; returns the statements that remain for an administrator.
 *
 * @throws the error of the failed migration; the ones before it stay applied
 */
export async function migrateToLatest(
  databaseUrl: string,
  { migrations, ...patience }: Options = {},
): Promise<string[]> {
  // One connection migrates, and one holds the lock. Neither has the limits of requests: only a transaction can set
  // its own, and an index is built outside of any.
  const database = withSettings(
    connectDatabase(databaseUrl, { poolSize: 2, statementTimeoutMs: 0 }),
    { statement_timeout: 0, idle_in_transaction_session_timeout: 0 },
  );
  try {
    return await inTurn(database, MIGRATION_LOCK, async () => {
      await migrateAll(database, migrations ?? (await migrationsOfFolder()), patience);
      return untilUnblocked(database, patience, ensureRoles);
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new DatabaseUnreachableError(error);
    throw error;
  } finally {
    await database.destroy();
  }
}

async function migrateAll(
  database: Database,
  migrations: Migrations,
  patience: LockPatience,
): Promise<void> {
  const migratorOn = (db: Database) =>
    new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(withRightsOfTriggers(migrations)) },
    });
  const migrateNext = () =>
    untilUnblocked(database, patience, async (patient) => {
      const { error } = await migratorOn(patient).migrateUp();
      if (error instanceof Error && error.message.startsWith(OTHER_MIGRATIONS))
        throw new OtherReleaseError(error);
      if (error) throw error;
    });
  const pending = async () =>
    (await migratorOn(database).getMigrations()).filter(({ executedAt }) => !executedAt);
  for (;;) {
    const [next] = await pending();
    if (!next) return;
    await makeIndexes(database, migrations[next.name]?.indexes ?? {});
    await migrateNext();
  }
}

/**
 * A migration that replaces the function of a trigger would leave it with the rights of its caller.
 * Until the last migration, processes that may not write the trigger's table would fail.
 */
const withRightsOfTriggers = (
  migrations: Readonly<Record<string, Migration>>,
): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(migrations).map(([name, { up }]) => [
      name,
      {
        async up(database) {
          await up(database);
          await fixTriggers(database);
        },
      },
    ]),
  );

/** By the name of its file, or of the folder of its SQL: only `migrate` loads the migrations themselves. */
const newest = readdirSync(new URL('../../migrations/', import.meta.url))
  .map((file) => parse(file).name)
  .sort()
  .at(-1);

/**
 * Ends where the schema has every migration of this release; a later release may have added more.
 *
 * @throws where the newest one is missing, or the database cannot be read
 */
export async function requireCurrentSchema(database: Database): Promise<void> {
  const rows = await allRows(database)`
    select from kysely_migration where name = ${newest}`;
  if (rows.length === 0) throw new Error(`The migration ${newest} is missing`);
}
