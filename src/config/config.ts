import { z } from 'zod';
import { connectionRules } from './encrypted-connections.ts';
import { sandboxProblems, serviceProblems, startProblems } from './production.ts';
import { providerRules } from './providers/provider-rules.ts';
import {
  airtimeSettings,
  messageSettings,
  mobileMoneySettings,
} from './providers/provider-settings.ts';
import { fileSettingOf, withSecretFiles } from './secret-files.ts';
import { keyRing } from './setting-kinds.ts';
import { codecSettings, codecSignInRules } from './settings/codec-settings.ts';
import { apiSettings } from './settings/portal-settings.ts';
import { secretSettings } from './settings/secret-settings.ts';
import { serviceSettings } from './settings/service-settings.ts';
import { startSettings } from './settings/start-settings.ts';
import { temporalSettings } from './settings/temporal-settings.ts';

const sharedSettings = { ...secretSettings, ...serviceSettings };
const isFailpointAllowed = ({
  ENVIRONMENT,
  FAILPOINT,
}: Pick<z.infer<z.ZodObject<typeof serviceSettings>>, 'ENVIRONMENT' | 'FAILPOINT'>) =>
  ENVIRONMENT === 'test' || FAILPOINT === undefined;
const failpointProblem = { path: ['FAILPOINT'], message: 'is for the test environment only' };

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

const configSchema = withRules(z.object(sharedSettings), serviceRules).refine(
  isFailpointAllowed,
  failpointProblem,
);
const apiConfigSchema = withRules(z.object({ ...sharedSettings, ...apiSettings }), serviceRules)
  .refine(isFailpointAllowed, failpointProblem)
  .refine(
    ({ PORTAL_KEY_COPY, COPY_KEYS }) => PORTAL_KEY_COPY === 'off' || COPY_KEYS !== undefined,
    {
      path: ['COPY_KEYS'],
      message: 'is not set; without it set PORTAL_KEY_COPY to "off"',
      // Reported beside all other problems, in one run.
      when: () => true,
    },
  );
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
  SANDBOX_PORT: startSettings.SANDBOX_PORT,
  SANDBOX_SMTP_PORT: startSettings.SANDBOX_SMTP_PORT,
  SANDBOX_SMPP_PORT: startSettings.SANDBOX_SMPP_PORT,
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
  WEBHOOK_SECRET_OVERLAP_HOURS: serviceSettings.WEBHOOK_SECRET_OVERLAP_HOURS,
  WEBHOOK_RETRY_SECONDS: serviceSettings.WEBHOOK_RETRY_SECONDS,
  API_KEY_OVERLAP_HOURS: serviceSettings.API_KEY_OVERLAP_HOURS,
  REPAIR_CONFIRM_ABOVE: serviceSettings.REPAIR_CONFIRM_ABOVE,
  REPAIR_CONFIRM_SECONDS: serviceSettings.REPAIR_CONFIRM_SECONDS,
  VOUCHER_VALIDITY_DAYS: serviceSettings.VOUCHER_VALIDITY_DAYS,
  SERVED_COUNTRIES: serviceSettings.SERVED_COUNTRIES,
  PORTAL_ONE_TIME_PASSWORD_SECONDS: serviceSettings.PORTAL_ONE_TIME_PASSWORD_SECONDS,
  PORTAL_PASSWORD_COST: serviceSettings.PORTAL_PASSWORD_COST,
  TEMPORAL_UI_URL: temporalSettings.TEMPORAL_UI_URL,
  TEMPORAL_NAMESPACE: temporalSettings.TEMPORAL_NAMESPACE,
  PROVIDER_STATEMENT_MARGIN_SECONDS: serviceSettings.PROVIDER_STATEMENT_MARGIN_SECONDS,
  PROVIDER_STATEMENT_PATIENCE_DAYS: serviceSettings.PROVIDER_STATEMENT_PATIENCE_DAYS,
  PROVIDER_STATEMENT_MAXIMUM_BREAKS: serviceSettings.PROVIDER_STATEMENT_MAXIMUM_BREAKS,
  // Few commands ask providers.
  ...messageSettings,
  EMAIL_FROM: messageSettings.EMAIL_FROM.optional(),
  SMTP_URL: messageSettings.SMTP_URL.optional(),
  ...mobileMoneySettings,
  ...airtimeSettings,
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
  findProblems: (given: Environment) => readonly string[] = () => [],
): z.infer<Schema> {
  // An empty value means "not set", as in a compose file with `NAME: ${NAME:-}`.
  const filled = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  );
  const { given, problems, told } = withSecretFiles(schema, filled);
  const result = schema.safeParse(given, {
    error: ({ input }) => (input === undefined ? 'is not set' : undefined),
  });
  const wrong = (result.error?.issues ?? [])
    .filter((issue) => !told.has(String(issue.path[0])))
    .map((issue) => `${sourceOf(issue.path, filled)}: ${issue.message}`);
  const lines = [...problems, ...wrong, ...findProblems(given)].map((line) => `  ${line}`);
  if (result.success && lines.length === 0) return result.data;
  throw new ConfigError(`Settings are missing or wrong:\n${[...new Set(lines)].join('\n')}`);
}

/** A setting's name, or that of the file which its value comes from. */
function sourceOf(path: readonly PropertyKey[], filled: Environment): string {
  const name = path.join('.');
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

/** The settings of the API process. */
export const readApiConfig = (environment: Environment = process.env): ApiConfig =>
  read(apiConfigSchema, environment, serviceProblems);

/** The settings of the worker process. */
export const readConfig = (environment: Environment = process.env): Config =>
  read(configSchema, environment, serviceProblems);

/** The public address of the service, without a trailing slash. */
export const publicUrlOf = ({ PUBLIC_URL, PORT }: Config): string =>
  (PUBLIC_URL ?? `http://localhost:${PORT}`).replace(/\/$/, '');

/** The settings of the API process, overridden by those that `npm start` makes for its servers. */
export const readApiConfigWith = (overrides: Environment): ApiConfig =>
  readApiConfig(ownEnvironmentWith(overrides));

/** The settings of `npm start`. */
export const readStartConfig = (environment: Environment = process.env): StartConfig =>
  read(startConfigSchema, environment, startProblems);

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
  read(sandboxConfigSchema, environment, sandboxProblems);

/** The settings of the operator's command line, which looks for missing ones at `npm start`. */
export const readAdminConfig = (environment: Environment = process.env): AdminConfig =>
  read(adminConfigSchema, environment);

/** The settings of the operator's command line, overridden by those of `npm start`. */
export const readAdminConfigWith = (overrides: Environment): AdminConfig =>
  readAdminConfig(ownEnvironmentWith(overrides));
