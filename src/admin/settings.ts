import { type AdminConfig, readAdminConfigWith } from '../config/config.js';
import { findLocalSettings } from '../config/local-stack.js';
import { createDigests } from '../crypto/digests.js';
import { AdminError } from './admin-error.js';
import type { AdminContext } from './command.js';

export interface AdminSettings {
  readonly databaseUrl: string;
  readonly keySettings: AdminContext['keySettings'];
  readonly oneTimePasswords: AdminContext['oneTimePasswords'];
}

/**
 * The database of DATABASE_URL, or the one that `npm start` runs in the data folder, with its
 * secrets.
 *
 * @throws {AdminError} where there is neither
 */
export async function resolveSettings(config: AdminConfig): Promise<AdminSettings> {
  if (config.DATABASE_URL !== undefined) return settingsOf(config, config.DATABASE_URL);
  const local = await findLocalSettings(config.DATA_DIR);
  if (!local?.DATABASE_URL)
    throw new AdminError(
      `No database is running in ${config.DATA_DIR}: start the service with "npm start", or set ` +
        'DATABASE_URL to the database that it uses.',
    );
  return settingsOf(readAdminConfigWith(local), local.DATABASE_URL);
}

const settingsOf = (config: AdminConfig, databaseUrl: string): AdminSettings => ({
  databaseUrl,
  oneTimePasswords: {
    lifetimeSeconds: config.PORTAL_ONE_TIME_PASSWORD_SECONDS,
    cost: config.PORTAL_PASSWORD_COST,
  },
  keySettings() {
    if (config.DIGEST_KEY === undefined)
      throw new AdminError(
        'API keys need the setting DIGEST_KEY: set it to the value of the API process.',
      );
    return {
      digests: createDigests(config.DIGEST_KEY),
      environment: config.ENVIRONMENT,
      overlapHours: config.API_KEY_OVERLAP_HOURS,
    };
  },
});
