import { z } from 'zod';
import { connectionRules } from './encrypted-connections.ts';
import { sandboxProblems, serviceProblems, startProblems } from './production.ts';
import { providerRules, providerSettings } from './provider-settings.ts';
import { fileSettingOf, withSecretFiles } from './secret-files.ts';
import { isConstant, keyRing } from './setting-kinds.ts';
import { codecSettings, codecSignInRules } from './settings/codec-settings.ts';
import { apiSettings } from './settings/portal-settings.ts';
import { secretSettings } from './settings/secret-settings.ts';
import { serviceSettings } from './settings/service-settings.ts';
import { startSettings } from './settings/start-settings.ts';
import { temporalSettings } from './settings/temporal-settings.ts';
import { readTestConstants, testConstantsProblems } from './test-constants.ts';

const sharedSettings = { ...secretSettings, ...serviceSettings };
interface Rule {
  // Of settings that may be missing or wrong, as they were given.
  readonly isKept: (settings: never) => boolean;
  readonly path: [string];
  readonly message: string;
}

/** Reports each problem beside all others, in one run. */
const withRules = <Schema extends z.ZodObject>(schema: Schema, rules: readonly Rule[]): Schema =>
  rules.reduce<Schema>(
    (checked, { isKept, path, message }) =>
      checked.refine((settings) => isKept(settings as never), { path, message, when: () => true }),
    schema,
  );

const serviceRules = [...connectionRules, ...providerRules];

const configSchema = withRules(z.object(sharedSettings), serviceRules);
const apiConfigSchema = withRules(z.object({ ...sharedSettings, ...apiSettings }), serviceRules);
const startConfigSchema = z.object(startSettings);
const { ENVIRONMENT, TRUST_UNENCRYPTED_NETWORK, DATABASE_URL, LOG_LEVEL, HOST } = serviceSettings;
const migrationConfigSchema = withRules(
  z.object({
    ENVIRONMENT,
    TRUST_UNENCRYPTED_NETWORK,
    DATABASE_URL,
    ...temporalSettings,
    LOG_LEVEL,
  }),
  connectionRules,
);
/** The demo's file holds the address of Temporal. */
const demoConfigSchema = withRules(
  z.object({
    ...temporalSettings,
    TEMPORAL_ADDRESS: temporalSettings.TEMPORAL_ADDRESS.optional(),
    DATA_DIR: startSettings.DATA_DIR,
  }),
  connectionRules,
);
const codecServerConfigSchema = z.object(codecSettings).superRefine(codecSignInRules);
const sandboxConfigSchema = z.object({
  ENVIRONMENT: serviceSettings.ENVIRONMENT,
  HOST,
  PORT_BASE: startSettings.PORT_BASE,
  MOBILE_PREFIXES: serviceSettings.MOBILE_PREFIXES,
  // Without it the books are in memory.
  DATA_DIR: startSettings.DATA_DIR.unwrap().optional(),
  SANDBOX_SMS_REPORT_URL: startSettings.SANDBOX_SMS_REPORT_URL,
  SANDBOX_DELAY_SCALE: startSettings.SANDBOX_DELAY_SCALE,
});
const adminConfigSchema = z.object({
  DATABASE_URL: startSettings.DATABASE_URL,
  DATABASE_READ_URL: serviceSettings.DATABASE_READ_URL,
  DATA_DIR: startSettings.DATA_DIR,
  ENVIRONMENT: serviceSettings.ENVIRONMENT,
  MARKET_TIME_ZONE: serviceSettings.MARKET_TIME_ZONE,
  DIGEST_KEY: secretSettings.DIGEST_KEY.optional(),
  DIGEST_KEYS: secretSettings.DIGEST_KEYS,
  DATA_KEYS: secretSettings.DATA_KEYS.optional(),
  WEBHOOK_ENDPOINTS_PER_COMPANY: serviceSettings.WEBHOOK_ENDPOINTS_PER_COMPANY,
  WEBHOOK_PRIVATE_NETWORKS: serviceSettings.WEBHOOK_PRIVATE_NETWORKS,
  WEBHOOK_RETRY_SECONDS: serviceSettings.WEBHOOK_RETRY_SECONDS,
  REPAIR_CONFIRM_FROM: serviceSettings.REPAIR_CONFIRM_FROM,
  REPAIR_CONFIRM_SECONDS: serviceSettings.REPAIR_CONFIRM_SECONDS,
  VOUCHER_VALIDITY_DAYS: serviceSettings.VOUCHER_VALIDITY_DAYS,
  REVERSAL_WINDOW_SECONDS: serviceSettings.REVERSAL_WINDOW_SECONDS,
  SERVED_COUNTRIES: serviceSettings.SERVED_COUNTRIES,
  MOBILE_PREFIXES: serviceSettings.MOBILE_PREFIXES,
  PORTAL_ONE_TIME_PASSWORD_SECONDS: serviceSettings.PORTAL_ONE_TIME_PASSWORD_SECONDS,
  PORTAL_PASSWORD_COST: serviceSettings.PORTAL_PASSWORD_COST,
  TEMPORAL_UI_URL: temporalSettings.TEMPORAL_UI_URL,
  TEMPORAL_NAMESPACE: temporalSettings.TEMPORAL_NAMESPACE,
  PROVIDER_STATEMENT_MARGIN_SECONDS: serviceSettings.PROVIDER_STATEMENT_MARGIN_SECONDS,
  REVERSAL_WATCH_SECONDS: serviceSettings.REVERSAL_WATCH_SECONDS,
  // Few commands ask providers.
  ...providerSettings,
  EMAIL_FROM: providerSettings.EMAIL_FROM.optional(),
  SMTP_URL: providerSettings.SMTP_URL.optional(),
});

export type Config = z.infer<typeof configSchema>;
/** The settings of the API: those of the worker and its own. */
export type ApiConfig = z.infer<typeof apiConfigSchema>;
export type StartConfig = z.infer<typeof startConfigSchema>;
export type AdminConfig = z.infer<typeof adminConfigSchema>;
export type Environment = Record<string, string | undefined>;

/** One line per missing or invalid setting; it never repeats values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function read<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
  {
    findProblems = () => [],
    constants,
  }: {
    readonly findProblems?: (given: Environment) => readonly string[];
    readonly constants?: Environment | undefined;
  } = {},
): z.infer<Schema> {
  // An empty value means "not set", as in a compose file with `NAME: ${NAME:-}`.
  const filled = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  );
  const { given, problems, told } = withSecretFiles(schema, filled);
  const changed = constants ?? readTestConstants(given);
  const values = Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, kind]) => {
      const source = isConstant(kind as z.ZodType) ? changed : given;
      return name in source ? [[name, source[name]]] : [];
    }),
  );
  const result = schema.safeParse(values, {
    error: ({ input }) => (input === undefined ? 'is not set' : undefined),
  });
  const wrong = (result.error?.issues ?? [])
    .filter((issue) => !told.has(String(issue.path[0])))
    .map((issue) => `${sourceOf(issue.path, filled)}: ${issue.message}`);
  const rules = [...testConstantsProblems(given), ...findProblems(given)];
  const lines = [...problems, ...wrong, ...rules].map((line) => `  ${line}`);
  if (result.success && lines.length === 0) return result.data;
  throw new ConfigError(`Settings are missing or wrong:\n${[...new Set(lines)].join('\n')}`);
}

/** A setting's name, or that of the file which its value comes from. */
function sourceOf(path: readonly PropertyKey[], filled: Environment): string {
  // The names in a list of pairs may be a secret that stands in the wrong place.
  const name = path.filter((part, index) => index === 0 || typeof part === 'number').join('.');
  return filled[name] === undefined && filled[fileSettingOf(name)] !== undefined
    ? fileSettingOf(name)
    : name;
}

/** Our environment with overrides: a value that is made here counts more than a file's, too. */
const ownEnvironmentWith = (overrides: Environment): Environment => ({
  ...process.env,
  ...Object.fromEntries(Object.keys(overrides).map((name) => [fileSettingOf(name), ''])),
  ...overrides,
});

/**
 * The settings of the API process.
 *
 * @param constants those that a test changes in its own process
 */
export const readApiConfig = (
  environment: Environment = process.env,
  constants?: Environment,
): ApiConfig => read(apiConfigSchema, environment, { findProblems: serviceProblems, constants });

/** The settings of the worker process, as those of the API. */
export const readConfig = (
  environment: Environment = process.env,
  constants?: Environment,
): Config => read(configSchema, environment, { findProblems: serviceProblems, constants });

/** The public address of the service, without a trailing slash. */
export const publicUrlOf = ({ PUBLIC_URL, PORT }: Config): string =>
  (PUBLIC_URL ?? `http://localhost:${PORT}`).replace(/\/$/, '');

/** The settings of the API process, overridden by those that `npm start` makes for its servers. */
export const readApiConfigWith = (overrides: Environment): ApiConfig =>
  readApiConfig(ownEnvironmentWith(overrides));

/** The settings of `npm start`. */
export const readStartConfig = (environment: Environment = process.env): StartConfig =>
  read(startConfigSchema, environment, { findProblems: startProblems });

/** The settings of the demo, which looks for the servers of `npm start`. */
export const readDemoConfig = (environment: Environment = process.env) =>
  read(demoConfigSchema, environment);

/** The payload keys for the codec server. */
export const readPayloadKeys = (text: string): Config['PAYLOAD_KEYS'] => keyRing.parse(text);

/** The settings of the migration process. */
export const readMigrationConfig = (environment: Environment = process.env) =>
  read(migrationConfigSchema, environment);

/** The settings of the codec server as a separate process. */
export const readCodecServerConfig = (environment: Environment = process.env) =>
  read(codecServerConfigSchema, environment);

/** The settings of the sandbox as a separate process. */
export const readSandboxConfig = (environment: Environment = process.env) =>
  read(sandboxConfigSchema, environment, { findProblems: sandboxProblems });

/** The settings of the operator's command line, which looks for missing ones at `npm start`. */
export const readAdminConfig = (
  environment: Environment = process.env,
  constants?: Environment,
): AdminConfig => read(adminConfigSchema, environment, { constants });

/** The settings of the operator's command line, overridden by those of `npm start`. */
export const readAdminConfigWith = (overrides: Environment): AdminConfig =>
  readAdminConfig(ownEnvironmentWith(overrides));
