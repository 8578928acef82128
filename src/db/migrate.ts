import { setTimeout as sleep } from 'node:timers/promises';
import { type Migration, Migrator, sql } from 'kysely';
import pg from 'pg';
import * as companies from '../../migrations/2026-11-21-1-companies.js';
import * as ledger from '../../migrations/2026-11-21-2-ledger.js';
import * as vouchers from '../../migrations/2026-11-21-3-vouchers.js';
import * as topups from '../../migrations/2026-11-21-4-topups.js';
import * as audit from '../../migrations/2026-11-21-5-audit.js';
import * as referenceData from '../../migrations/2026-11-21-6-reference-data.js';
import * as access from '../../migrations/2026-11-21-7-access.js';
import * as reconciliation from '../../migrations/2026-11-21-8-reconciliation.js';
import * as portal from '../../migrations/2026-11-21-9-portal.js';
import * as pages from '../../migrations/2026-11-22-2-pages.js';
import * as invitations from '../../migrations/2026-11-22-3-invitations.js';
import * as priceListVersions from '../../migrations/2026-11-22-3-price-list-versions.js';
import * as leftRequests from '../../migrations/2026-11-22-4-left-requests.js';
import * as requestIdentity from '../../migrations/2026-11-22-5-request-identity.js';
import * as providerReferences from '../../migrations/2026-11-22-6-provider-references.js';
import * as productionIndexes from '../../migrations/2026-11-22-7-production-indexes.js';
import * as credentialProofs from '../../migrations/2026-11-22-8-credential-proofs.js';
import * as guessAndMessageBudgets from '../../migrations/2026-11-22-9-guess-and-message-budgets.js';
import * as copyableKeys from '../../migrations/2026-11-22-9a-copyable-keys.js';
import * as workflowIds from '../../migrations/2026-11-22-9b-workflow-ids.js';
import * as operatorCommands from '../../migrations/2026-11-22-9c-operator-commands.js';
import * as abandonedMessages from '../../migrations/2026-11-22-9d-abandoned-messages.js';
import * as topupWorkflowIds from '../../migrations/2026-11-22-9e-topup-workflow-ids.js';
import {
  connectDatabase,
  type Database,
  DatabaseUnreachableError,
  isDatabaseUnavailable,
} from './connection.js';
import { ensureRoles } from './roles.js';

/** An index on a possibly big table; its name is the key. */
type Indexes = Readonly<Record<string, { readonly table: string; readonly columns: string }>>;

/** `indexes` are built before the migration without blocking writes, if their tables exist. */
type MigrationWithIndexes = Migration & { readonly indexes?: Indexes };

/** In order, and explicit, so that every runtime and bundler can follow plain imports. */
const allMigrations: Readonly<Record<string, MigrationWithIndexes>> = {
  '2026-11-21-1-companies': companies,
  '2026-11-21-2-ledger': ledger,
  '2026-11-21-3-vouchers': vouchers,
  '2026-11-21-4-topups': topups,
  '2026-11-21-5-audit': audit,
  '2026-11-21-6-reference-data': referenceData,
  '2026-11-21-7-access': access,
  '2026-11-21-8-reconciliation': reconciliation,
  '2026-11-21-9-portal': portal,
  '2026-11-22-2-pages': pages,
  '2026-11-22-3-invitations': invitations,
  '2026-11-22-3-price-list-versions': priceListVersions,
  '2026-11-22-4-left-requests': leftRequests,
  '2026-11-22-5-request-identity': requestIdentity,
  '2026-11-22-6-provider-references': providerReferences,
  '2026-11-22-7-production-indexes': productionIndexes,
  '2026-11-22-8-credential-proofs': credentialProofs,
  '2026-11-22-9-guess-and-message-budgets': guessAndMessageBudgets,
  '2026-11-22-9a-copyable-keys': copyableKeys,
  '2026-11-22-9b-workflow-ids': workflowIds,
  '2026-11-22-9c-operator-commands': operatorCommands,
  '2026-11-22-9d-abandoned-messages': abandonedMessages,
  '2026-11-22-9e-topup-workflow-ids': topupWorkflowIds,
};

/** The longest time that users of a table wait behind a migration's lock request. */
const LOCK_TIMEOUT_MS = 3_000;
/** Pause between two attempts, so that waiting users proceed. */
const RETRY_PAUSE_MS = 2_000;
const RETRY_SECONDS = 600;

/** SQLSTATE of a lock timeout, and of a deadlock. */
const LOCK_CODES = ['55P03', '40P01'];

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

/**
 * Migrates the schema to its latest version; safe to run in several processes at once (Kysely takes
 * a lock). A statement may take as long as a big table needs, but none waits long for a lock, since
 * all others would wait behind it: the migration is rolled back and retried.
 *
 * Then it grants each process its rights; returns the statements that remain for an administrator.
 *
 * @throws the error of the failed migration; the ones before it stay applied
 */
export async function migrateToLatest(
  databaseUrl: string,
  {
    migrations = allMigrations,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    retryPauseMs = RETRY_PAUSE_MS,
    retrySeconds = RETRY_SECONDS,
  } = {},
): Promise<string[]> {
  const database = connect(databaseUrl, lockTimeoutMs);
  const deadline = Date.now() + retrySeconds * 1_000;
  try {
    for (;;) {
      try {
        await migrateOnce(database, databaseUrl, migrations);
        return await ensureRoles(database);
      } catch (error) {
        if (!isBlocked(error) && isDatabaseUnavailable(error))
          throw new DatabaseUnreachableError(error);
        if (!isBlocked(error)) throw error;
        if (Date.now() > deadline) throw new MigrationBlockedError(retrySeconds, error);
        await sleep(retryPauseMs);
      }
    }
  } finally {
    await database.destroy();
  }
}

/** One connection without the limits of requests. */
const connect = (databaseUrl: string, lockTimeoutMs: number): Database =>
  connectDatabase(databaseUrl, {
    poolSize: 1,
    session: {
      statement_timeout: 0,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: 0,
    },
  });

const isBlocked = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && LOCK_CODES.includes(error.code ?? '');

async function migrateOnce(
  database: Database,
  databaseUrl: string,
  migrations: Readonly<Record<string, MigrationWithIndexes>>,
): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const pending = (await migrator.getMigrations()).filter(({ executedAt }) => !executedAt);
  const indexes = pending.map(({ name }) => migrations[name]?.indexes ?? {});
  await makeIndexes(databaseUrl, Object.assign({}, ...indexes));
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Advisory lock of processes that build indexes. */
const INDEX_LOCK = 4_127_061_108;

/**
 * Builds indexes on existing tables during writes. Building waits for running transactions but
 * blocks nobody, so it has no time limit.
 */
async function makeIndexes(databaseUrl: string, indexes: Indexes): Promise<void> {
  if (Object.keys(indexes).length === 0) return;
  const database = connect(databaseUrl, 0);
  const hasLock = async () => {
    const { rows } = await sql<{ has: boolean }>`
      select pg_try_advisory_lock(${INDEX_LOCK}) as has`.execute(database);
    return rows[0]?.has === true;
  };
  try {
    // Waiting inside PostgreSQL would be a transaction that the other process waits for.
    while (!(await hasLock())) await sleep(200);
    for (const [name, index] of Object.entries(indexes)) await makeIndex(database, name, index);
  } finally {
    await database.destroy();
  }
}

/** Builds a missing index; an interrupted build leaves an invalid index, which is rebuilt. */
async function makeIndex(
  database: Database,
  name: string,
  { table, columns }: { readonly table: string; readonly columns: string },
): Promise<void> {
  const { rows } = await sql<{ exists: boolean; isValid: boolean | null }>`
    select to_regclass(${table}) is not null as exists,
      (select indisvalid from pg_index where indexrelid = to_regclass(${name})) as "isValid"
  `.execute(database);
  const [found] = rows;
  if (!found?.exists || found.isValid) return;
  if (found.isValid === false)
    await sql`drop index concurrently ${sql.ref(name)}`.execute(database);
  await sql`
    create index concurrently ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
  `.execute(database);
}
