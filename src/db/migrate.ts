import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import {
  FileMigrationProvider,
  type Migration,
  type MigrationInfo,
  type MigrationResultSet,
  Migrator,
} from 'kysely/migration';
import { type Indexes, makeIndexes } from './concurrent-indexes.ts';
import {
  connectDatabase,
  type Database,
  DatabaseUnreachableError,
  isDatabaseUnavailable,
} from './connection.ts';
import { type LockPatience, oneAtATime, untilUnblocked } from './migration-locks.ts';
import { ensureRoles, fixTriggers } from './rights/roles.ts';

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
 * migrates, and the others wait. A statement may take as long as a big table needs, but none waits
 * long for a lock, since all others would wait behind it: the migration is rolled back and retried.
 *
 * Then it grants each process its rights; returns the statements that remain for an administrator.
 *
 * @throws the error of the failed migration; the ones before it stay applied
 */
export async function migrateToLatest(
  databaseUrl: string,
  { migrations, ...patience }: Options = {},
): Promise<string[]> {
  const database = connect(databaseUrl);
  // Its own connection, so that the lock outlasts the transactions of the migrations.
  const locking = connect(databaseUrl);
  try {
    return await oneAtATime(locking, async (lockHolder) => {
      await migrateAll(database, lockHolder, migrations ?? (await migrationsOfFolder()), patience);
      return untilUnblocked(database, patience, () => ensureRoles(database));
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new DatabaseUnreachableError(error);
    throw error;
  } finally {
    await Promise.all([database.destroy(), locking.destroy()]);
  }
}

/** One connection without the limits of requests. */
const connect = (databaseUrl: string): Database =>
  connectDatabase(databaseUrl, {
    poolSize: 1,
    session: { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });

async function migrateAll(
  database: Database,
  lockHolder: Database,
  migrations: Migrations,
  patience: LockPatience,
): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(withRightsOfTriggers(migrations)) },
  });
  const run = (step: () => Promise<MigrationResultSet>) =>
    untilUnblocked(database, patience, async () => {
      const { error } = await step();
      if (error) throw error;
    });
  const pending = async () =>
    (await migrator.getMigrations()).filter(({ executedAt }) => !executedAt);
  const prepare = async (names: readonly MigrationInfo[]) => {
    for (const { name } of names) await makeIndexes(lockHolder, migrations[name]?.indexes ?? {});
  };
  const all = await pending();
  if (all.length === Object.keys(migrations).length) {
    // Nobody uses an empty database, so one transaction keeps nobody waiting.
    await prepare(all);
    return run(() => migrator.migrateToLatest());
  }
  for (;;) {
    const [next] = await pending();
    if (!next) return;
    await prepare([next]);
    await run(() => migrator.migrateUp());
  }
}

/**
 * A migration that replaces the function of a trigger would leave it with the rights of its caller:
 * until the last migration, processes that may not write what the trigger writes would fail.
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
