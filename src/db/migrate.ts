import { type Migration, type MigrationInfo, type MigrationResultSet, Migrator } from 'kysely';
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
import * as callDetails from '../../migrations/2026-11-22-9f-call-details.js';
import * as events from '../../migrations/2026-11-22-9g-events.js';
import * as webhooks from '../../migrations/2026-11-22-9h-webhooks.js';
import * as endpointIndexes from '../../migrations/2026-11-22-9i-endpoint-indexes.js';
import * as messageResends from '../../migrations/2026-11-22-9j-message-resends.js';
import * as keyScopes from '../../migrations/2026-11-22-9k-key-scopes.js';
import * as limits from '../../migrations/2026-11-22-9l-limits.js';
import * as velocity from '../../migrations/2026-11-22-9l-velocity.js';
import * as portalRoles from '../../migrations/2026-11-22-9m-portal-roles.js';
import * as bulkOrders from '../../migrations/2026-11-22-9n-bulk-orders.js';
import * as timeZones from '../../migrations/2026-11-22-9o-time-zones.js';
import * as expiryReminders from '../../migrations/2026-11-22-9p-expiry-reminders.js';
import * as reversals from '../../migrations/2026-11-23-1-reversals.js';
import * as messageLanguage from '../../migrations/2026-11-23-2-message-language.js';
import * as oneTimePasswords from '../../migrations/2026-11-23-5-one-time-passwords.js';
import * as portalLanguages from '../../migrations/2026-11-23-6-portal-languages.js';
import * as portalOrders from '../../migrations/2026-11-23-7-portal-orders.js';
import * as overviewIndexes from '../../migrations/2026-11-23-7b-overview-indexes.js';
import * as statementEmails from '../../migrations/2026-11-23-8-statement-emails.js';
import * as bookCheckpoints from '../../migrations/2026-11-23-9-book-checkpoints.js';
import * as topupAmountIndex from '../../migrations/2026-11-23-9b-topup-amount-index.js';
import * as recovery from '../../migrations/2026-11-23-9m-recovery.js';
import * as narrowerRights from '../../migrations/2026-11-23-9p-narrower-rights.js';
import * as rareTransfers from '../../migrations/2026-11-24-1-rare-transfers.js';
import * as staff from '../../migrations/2026-11-24-2-staff.js';
import * as numberIndexes from '../../migrations/2026-11-24-2b-number-indexes.js';
import * as repairs from '../../migrations/2026-11-24-3-repairs.js';
import * as sealedNumbers from '../../migrations/2026-11-24-4-sealed-numbers.js';
import * as dayReports from '../../migrations/2026-11-24-5-day-reports.js';
import { type Indexes, makeIndexes } from './concurrent-indexes.js';
import {
  connectDatabase,
  type Database,
  DatabaseUnreachableError,
  isDatabaseUnavailable,
} from './connection.js';
import { type LockPatience, oneAtATime, untilUnblocked } from './migration-locks.js';
import { ensureRoles, fixTriggers } from './roles.js';

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
  '2026-11-22-9f-call-details': callDetails,
  '2026-11-22-9g-events': events,
  '2026-11-22-9h-webhooks': webhooks,
  '2026-11-22-9i-endpoint-indexes': endpointIndexes,
  '2026-11-22-9j-message-resends': messageResends,
  '2026-11-22-9k-key-scopes': keyScopes,
  '2026-11-22-9l-limits': limits,
  '2026-11-22-9l-velocity': velocity,
  '2026-11-22-9m-portal-roles': portalRoles,
  '2026-11-22-9n-bulk-orders': bulkOrders,
  '2026-11-22-9o-time-zones': timeZones,
  '2026-11-22-9p-expiry-reminders': expiryReminders,
  '2026-11-23-1-reversals': reversals,
  '2026-11-23-2-message-language': messageLanguage,
  '2026-11-23-5-one-time-passwords': oneTimePasswords,
  '2026-11-23-6-portal-languages': portalLanguages,
  '2026-11-23-7-portal-orders': portalOrders,
  '2026-11-23-7b-overview-indexes': overviewIndexes,
  '2026-11-23-8-statement-emails': statementEmails,
  '2026-11-23-9-book-checkpoints': bookCheckpoints,
  '2026-11-23-9b-topup-amount-index': topupAmountIndex,
  '2026-11-23-9m-recovery': recovery,
  '2026-11-23-9p-narrower-rights': narrowerRights,
  '2026-11-24-1-rare-transfers': rareTransfers,
  '2026-11-24-2-staff': staff,
  '2026-11-24-3-repairs': repairs,
  '2026-11-24-4-sealed-numbers': sealedNumbers,
  '2026-11-24-5-day-reports': dayReports,
  '2026-11-24-2b-number-indexes': numberIndexes,
};

interface Options extends LockPatience {
  readonly migrations?: Readonly<Record<string, MigrationWithIndexes>>;
}

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
  { migrations = allMigrations, ...patience }: Options = {},
): Promise<string[]> {
  const database = connect(databaseUrl);
  // Its own connection, so that the lock outlasts the transactions of the migrations.
  const locking = connect(databaseUrl);
  try {
    return await oneAtATime(locking, async (lockHolder) => {
      await migrateAll(database, lockHolder, migrations, patience);
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
  migrations: Readonly<Record<string, MigrationWithIndexes>>,
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
