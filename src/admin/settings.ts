import { type AdminConfig, readAdminConfigWith } from '../config/config.ts';
import { findLocalSettings } from '../config/local-stack.ts';
import { configuredProviders } from '../config/provider-settings.ts';
import { createDigests } from '../crypto/digests.ts';
import { createNumberBox, createNumberHash, numberKeysOf } from '../crypto/phone-numbers.ts';
import { createSecretBox } from '../crypto/secret-box.ts';
import { statementProviders } from '../domain/providers.ts';
import { webhookSettingsOf } from '../operations/webhooks.ts';
import { repairLimits } from '../repairs/ask-repair.ts';
import { comparisonSettings } from '../runtime/worker/activity-limits.ts';
import type { AdminContext } from './command.ts';
import { AdminError } from './fields.ts';

export interface AdminSettings {
  readonly databaseUrl: string;
  /** A replica for what reads everything. */
  readonly readDatabaseUrl: string;
  readonly marketTimeZone: string;
  readonly keySettings: AdminContext['keySettings'];
  readonly digestSettings: AdminContext['digestSettings'];
  readonly numbers: AdminContext['numbers'];
  readonly webhookSettings: AdminContext['webhookSettings'];
  readonly oneTimePasswords: AdminContext['oneTimePasswords'];
  readonly temporalUi: AdminContext['temporalUi'];
  readonly providers: AdminContext['providers'];
  readonly configuredProviders: AdminContext['configuredProviders'];
  readonly providerPorts: AdminContext['providerPorts'];
  readonly defaultPayer: AdminContext['defaultPayer'];
  readonly defaultProviders: AdminContext['defaultProviders'];
  readonly repairs: AdminContext['repairs'];
  readonly statements: AdminContext['statements'];
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
  // As `npm start` sets it for the service.
  const WEBHOOK_PRIVATE_NETWORKS = config.ENVIRONMENT === 'test' ? 'on' : 'off';
  return settingsOf(
    readAdminConfigWith({ ...local, WEBHOOK_PRIVATE_NETWORKS }),
    local.DATABASE_URL,
  );
}

/** The adapters of all providers, which few commands need. */
const adapters = () => import('./provider-adapters.ts');

function statementsOf(config: AdminConfig): AdminContext['statements'] {
  return {
    settings: comparisonSettings(config),
    provider: (name) => ({ name, kind: statementProviders[name] }),
    fileZone: (name) => (name === 'reloadly' ? config.RELOADLY_TIME_ZONE : config.MARKET_TIME_ZONE),
    account: async (name) => (await adapters()).accountOf(config, name),
  };
}

/** @throws {AdminError} without the key */
function numberHashOf({ DIGEST_KEY }: AdminConfig) {
  if (DIGEST_KEY === undefined)
    throw new AdminError(
      'Phone numbers need the setting DIGEST_KEY: set it to the value of the API process.',
    );
  return createNumberHash(DIGEST_KEY);
}

const settingsOf = (config: AdminConfig, databaseUrl: string): AdminSettings => ({
  databaseUrl,
  readDatabaseUrl: config.DATABASE_READ_URL ?? databaseUrl,
  marketTimeZone: config.MARKET_TIME_ZONE,
  temporalUi: { url: config.TEMPORAL_UI_URL, namespace: config.TEMPORAL_NAMESPACE },
  providers: async () => (await adapters()).providersOf(config),
  statements: statementsOf(config),
  configuredProviders: () => configuredProviders(config),
  providerPorts: async () => (await adapters()).providerPortsOf(config),
  defaultPayer: config.MOBILE_MONEY_PROVIDER,
  defaultProviders: () => [
    config.SMS_PROVIDER,
    config.MOBILE_MONEY_PROVIDER,
    config.AIRTIME_PROVIDER,
  ],
  repairs: repairLimits(config, (msisdn) => numberHashOf(config)(msisdn)),
  oneTimePasswords: {
    lifetimeSeconds: config.PORTAL_ONE_TIME_PASSWORD_SECONDS,
    cost: config.PORTAL_PASSWORD_COST,
  },
  webhookSettings() {
    if (config.DATA_KEYS === undefined)
      throw new AdminError(
        'Webhooks need the setting DATA_KEYS: set it to the value of the API process.',
      );
    return webhookSettingsOf({ ...config, DATA_KEYS: config.DATA_KEYS });
  },
  digestSettings() {
    const { DIGEST_KEY, DIGEST_KEYS, DATA_KEYS } = config;
    if (DIGEST_KEY === undefined || DATA_KEYS === undefined)
      throw new AdminError(
        'Digests need the settings DIGEST_KEY, DIGEST_KEYS and DATA_KEYS: set them to the values of ' +
          'the API process.',
      );
    return {
      digests: createDigests(DIGEST_KEY, DIGEST_KEYS),
      secretBox: createSecretBox(DATA_KEYS),
    };
  },
  numbers() {
    const { DIGEST_KEY, DATA_KEYS } = config;
    if (DIGEST_KEY === undefined || DATA_KEYS === undefined)
      throw new AdminError(
        'Phone numbers need the settings DIGEST_KEY and DATA_KEYS: set them to the values of the API ' +
          'process.',
      );
    return createNumberBox(numberKeysOf({ DIGEST_KEY, DATA_KEYS }));
  },
  keySettings() {
    if (config.DIGEST_KEY === undefined)
      throw new AdminError(
        'API keys need the setting DIGEST_KEY: set it to the value of the API process.',
      );
    return {
      digests: createDigests(config.DIGEST_KEY, config.DIGEST_KEYS),
      environment: config.ENVIRONMENT,
    };
  },
});
