import { Migrator } from 'kysely';
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
import * as copyableKeys from '../../migrations/2026-11-22-9a-copyable-keys.js';
import { connectDatabase, DatabaseUnreachableError, isDatabaseUnavailable } from './connection.js';

/** In order. Listed by hand: every runtime and bundler follows a plain import. */
const migrations = {
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
  '2026-11-22-9a-copyable-keys': copyableKeys,
};

/**
 * Brings the schema up to date; safe to run by several processes at once (Kysely takes a lock).
 *
 * @throws the error of the migration that failed; the ones before it stay applied
 */
export async function migrateToLatest(databaseUrl: string): Promise<void> {
  const database = connectDatabase(databaseUrl, { poolSize: 1 });
  try {
    const migrator = new Migrator({
      db: database,
      provider: { getMigrations: () => Promise.resolve(migrations) },
    });
    const { error } = await migrator.migrateToLatest();
    if (isDatabaseUnavailable(error)) throw new DatabaseUnreachableError(error);
    if (error) throw error;
  } finally {
    await database.destroy();
  }
}
