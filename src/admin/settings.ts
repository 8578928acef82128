import { type AdminConfig, readAdminConfigWith } from '../config/config.ts';
import { findLocalSettings } from '../config/local-stack.ts';
import { AdminError } from './fields.ts';

/** The settings of commands, and the addresses of the database. */
interface AdminSettings {
  readonly settings: AdminConfig;
  readonly databaseUrl: string;
  /** A replica for what reads everything. */
  readonly readDatabaseUrl: string;
}

/**
 * The database of DATABASE_URL. Without it, the database of `npm start` in the data folder, with
 * its secrets.
 *
 * @throws {AdminError} where there is neither
 */
export async function resolveSettings(config: AdminConfig): Promise<AdminSettings> {
  const { databaseUrl } = config.database;
  if (databaseUrl !== undefined) return settingsOf(config, databaseUrl);
  const { dataDir } = config.start;
  const local = await findLocalSettings(dataDir);
  if (!local?.DATABASE_URL)
    throw new AdminError(
      `No database is running in ${dataDir}: start the service with "npm start", or set ` +
        'DATABASE_URL to the database that it uses.',
    );
  // As `npm start` sets it for the service.
  const WEBHOOK_PRIVATE_NETWORKS = config.process.environment === 'test' ? 'on' : 'off';
  return settingsOf(
    readAdminConfigWith({ ...local, WEBHOOK_PRIVATE_NETWORKS }),
    local.DATABASE_URL,
  );
}

const settingsOf = (settings: AdminConfig, databaseUrl: string): AdminSettings => ({
  databaseUrl,
  readDatabaseUrl: settings.database.databaseReadUrl ?? databaseUrl,
  settings,
});
