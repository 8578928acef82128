import { type AdminConfig, readAdminConfigWith } from '../config/config.ts';
import { findLocalSettings } from '../config/local-stack.ts';
import { configuredProviders } from '../config/rules.ts';
import { createDigests } from '../crypto/digests.ts';
import { createNumberBox } from '../crypto/phone-numbers.ts';
import { createSecretBox } from '../crypto/secret-box.ts';
import { statementProviders } from '../domain/providers.ts';
import type { AdminContext } from './command.ts';
import { AdminError } from './fields.ts';

/** What commands get of the settings, and the addresses of the database. */
export interface AdminSettings extends Omit<AdminContext, 'database' | 'actor' | 'progress'> {
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

/** The adapters of all providers, which few commands need. */
const adapters = () => import('./provider-adapters.ts');

const statementsOf = (config: AdminConfig): AdminContext['statements'] => ({
  provider: (name) => ({ name, kind: statementProviders[name] }),
  fileZone: (name) =>
    name === 'reloadly' ? config.providers.reloadlyTimeZone : config.market.marketTimeZone,
  account: async (name) => (await adapters()).accountOf(config, name),
});

/** @throws {AdminError} without the keys of digests or of the data */
function keysOf({ digestKey, digestKeys, dataKeys }: AdminConfig['secrets'], whatNeeds: string) {
  if (digestKey === undefined || dataKeys === undefined)
    throw new AdminError(`${whatNeeds}: set them to the values of the API process.`);
  return { digestKey, digestKeys, dataKeys };
}

const settingsOf = (config: AdminConfig, databaseUrl: string): AdminSettings => ({
  databaseUrl,
  readDatabaseUrl: config.database.databaseReadUrl ?? databaseUrl,
  settings: config,
  providers: async () => (await adapters()).providersOf(config),
  statements: statementsOf(config),
  configuredProviders: () => configuredProviders(config.providers),
  providerPorts: async () => (await adapters()).providerPortsOf(config),
  webhookServices() {
    const { dataKeys } = config.secrets;
    if (dataKeys === undefined)
      throw new AdminError(
        'Webhooks need the setting DATA_KEYS: set it to the value of the API process.',
      );
    return { secretBox: createSecretBox(dataKeys), settings: config };
  },
  digestSettings() {
    const { digestKey, digestKeys, dataKeys } = keysOf(
      config.secrets,
      'Digests need the settings DIGEST_KEY, DIGEST_KEYS and DATA_KEYS',
    );
    return {
      digests: createDigests(digestKey, digestKeys),
      secretBox: createSecretBox(dataKeys),
    };
  },
  numbers: () =>
    createNumberBox(
      keysOf(config.secrets, 'Phone numbers need the settings DIGEST_KEY and DATA_KEYS'),
    ),
  keySettings() {
    const { digestKey, digestKeys } = config.secrets;
    if (digestKey === undefined)
      throw new AdminError(
        'API keys need the setting DIGEST_KEY: set it to the value of the API process.',
      );
    return {
      digests: createDigests(digestKey, digestKeys),
      environment: config.process.environment,
    };
  },
});
