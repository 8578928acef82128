import { z } from 'zod';
import {
  codecRules,
  connectionRules,
  providerRules,
  type Rule,
  sandboxProblems,
  serviceProblems,
  startProblems,
} from './rules.ts';
import { fileSettingOf, withSecretFiles } from './secret-files.ts';
import { isConstant, keyRing } from './setting-kinds.ts';
import { type InCamelCase, inCamelCase } from './setting-names.ts';
import {
  accessSettings,
  apiSecretSettings,
  codecSettings,
  portalSettings,
  secretSettings,
} from './settings/access-settings.ts';
import {
  marketSettings,
  repairSettings,
  scheduleSettings,
  topupSettings,
  voucherSettings,
  webhookSettings,
} from './settings/business-settings.ts';
import {
  databaseSettings,
  httpSettings,
  observationSettings,
  processSettings,
  taskQueueSettings,
  temporalSettings,
} from './settings/deployment-settings.ts';
import {
  callbackSettings,
  defaultProviderSettings,
  emailSettings,
  providerGuardSettings,
  providerSettings,
} from './settings/provider-settings.ts';
import { startSettings } from './settings/start-settings.ts';

/** The settings of the worker, in the groups in which they are handed on. */
const workerGroups = {
  process: processSettings,
  observation: observationSettings,
  database: databaseSettings,
  temporal: { ...temporalSettings, ...taskQueueSettings },
  http: httpSettings,
  secrets: secretSettings,
  access: accessSettings,
  portal: portalSettings,
  market: marketSettings,
  vouchers: voucherSettings,
  schedules: scheduleSettings,
  webhooks: webhookSettings,
  topups: topupSettings,
  repairs: repairSettings,
  providerGuard: providerGuardSettings,
  callbacks: callbackSettings,
  defaultProviders: defaultProviderSettings,
  providers: providerSettings,
  email: emailSettings,
};

/** Those of the API: the same, and secrets of its own. */
const apiGroups = { ...workerGroups, secrets: { ...secretSettings, ...apiSecretSettings } };

const migrationGroups = {
  process: pick(processSettings, ['ENVIRONMENT', 'LOG_LEVEL']),
  database: pick(databaseSettings, ['TRUST_UNENCRYPTED_NETWORK', 'DATABASE_URL']),
  temporal: temporalSettings,
};

const demoGroups = {
  start: pick(startSettings, ['DATA_DIR']),
  // The demo's file holds the address.
  temporal: { ...temporalSettings, TEMPORAL_ADDRESS: temporalSettings.TEMPORAL_ADDRESS.optional() },
};

const codecGroups = {
  process: pick(processSettings, ['LOG_LEVEL']),
  http: pick(httpSettings, ['HOST', 'TRUSTED_PROXIES', 'IDLE_TIMEOUT_SECONDS']),
  temporal: pick(temporalSettings, ['TEMPORAL_UI_URL']),
  secrets: pick(secretSettings, ['PAYLOAD_KEYS']),
  codec: codecSettings,
};

const adminGroups = {
  start: pick(startSettings, ['DATA_DIR']),
  process: pick(processSettings, ['ENVIRONMENT']),
  database: {
    DATABASE_URL: databaseSettings.DATABASE_URL.optional(),
    DATABASE_READ_URL: databaseSettings.DATABASE_READ_URL,
    SYNCHRONOUS_REPLICATION: databaseSettings.SYNCHRONOUS_REPLICATION,
  },
  temporal: pick(temporalSettings, ['TEMPORAL_UI_URL', 'TEMPORAL_NAMESPACE']),
  secrets: {
    DIGEST_KEY: secretSettings.DIGEST_KEY.optional(),
    DIGEST_KEYS: secretSettings.DIGEST_KEYS,
    DATA_KEYS: secretSettings.DATA_KEYS.optional(),
  },
  portal: pick(portalSettings, ['PORTAL_ONE_TIME_PASSWORD_SECONDS', 'PORTAL_PASSWORD_COST']),
  market: marketSettings,
  vouchers: pick(voucherSettings, ['VOUCHER_VALIDITY_DAYS', 'REVERSAL_WINDOW_SECONDS']),
  schedules: pick(scheduleSettings, ['PROVIDER_STATEMENT_MARGIN_SECONDS', 'ARCHIVE_FOLDER']),
  webhooks: webhookSettings,
  topups: pick(topupSettings, ['REVERSAL_WATCH_SECONDS']),
  repairs: repairSettings,
  // Few commands ask providers.
  callbacks: callbackSettings,
  defaultProviders: defaultProviderSettings,
  providers: providerSettings,
  email: {
    EMAIL_FROM: emailSettings.EMAIL_FROM.optional(),
    SMTP_URL: emailSettings.SMTP_URL.optional(),
  },
};

/** What the sandbox reads as a process of its own. */
const sandboxSettings = {
  ...pick(processSettings, ['ENVIRONMENT']),
  ...pick(httpSettings, ['HOST']),
  ...pick(marketSettings, ['MOBILE_PREFIXES']),
  ...pick(startSettings, ['PORT_BASE', 'SANDBOX_SMS_REPORT_URL', 'SANDBOX_DELAY_SCALE']),
  // Without it the books are in memory.
  DATA_DIR: startSettings.DATA_DIR.unwrap().optional(),
};

/** Those of these names that are there. */
function pick<All extends object, Name extends keyof All & string>(
  all: All,
  names: readonly Name[],
): Pick<All, Name> {
  const wanted: readonly string[] = names;
  const entries = Object.entries(all).filter(([name]) => wanted.includes(name));
  return Object.fromEntries(entries) as Pick<All, Name>;
}

type Settings = Readonly<Record<string, z.ZodType>>;
type Groups = Readonly<Record<string, Settings>>;
type ReadSettings<Given extends Settings> = z.infer<z.ZodObject<Given>>;
type ReadGroups<Given extends Groups> = {
  readonly [Group in keyof Given]: InCamelCase<ReadSettings<Given[Group]>>;
};

const settingsIn = (groups: Groups): Settings => Object.assign({}, ...Object.values(groups));

/** Every setting and every constant, by the name in the environment. */
export const allSettings: Settings = {
  ...startSettings,
  ...codecSettings,
  ...settingsIn(apiGroups),
};

/** The names of all constants of `src/config`. */
export const constantNames: ReadonlySet<string> = new Set(
  Object.keys(allSettings).filter((name) => isConstant(allSettings[name] as z.ZodType)),
);

/** The settings of the worker. */
export type Config = ReadGroups<typeof workerGroups> & Located;
/** The settings of the API: those of the worker and its own. */
export type ApiConfig = ReadGroups<typeof apiGroups> & Located;
/** The settings of `npm start`, by their names in the environment, to which it adds others. */
export type StartConfig = ReadSettings<typeof startSettings>;
export type AdminConfig = ReadGroups<typeof adminGroups>;
export type CodecConfig = ReadGroups<typeof codecGroups>;
export type Environment = Record<string, string | undefined>;

/** One line per missing or invalid setting; it never repeats values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Reading {
  readonly rules?: readonly Rule[];
  readonly findProblems?: (given: Environment) => readonly string[];
  /** Those that a test changes in its own process. */
  readonly constants?: Environment | undefined;
}

/** Reads settings and groups them. */
function readGroups<Given extends Groups>(
  groups: Given,
  environment: Environment,
  reading: Reading,
): ReadGroups<Given> {
  const values: object = readSettings(settingsIn(groups), environment, reading);
  const entries = Object.entries(groups).map(([group, settings]) => [
    group,
    inCamelCase(pick(values, Object.keys(settings) as never[])),
  ]);
  return Object.fromEntries(entries);
}

/** Reads settings under their names in the environment. */
function readSettings<Given extends Settings>(
  settings: Given,
  environment: Environment,
  { rules = [], findProblems = () => [], constants }: Reading,
): ReadSettings<Given> {
  // An empty value means "not set", as in a compose file with `NAME: ${NAME:-}`.
  const filled = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  );
  const { given, problems, told } = withSecretFiles(settings, filled);
  const changed = constants ?? readTestConstants(given);
  const values = Object.fromEntries(
    Object.entries(settings).flatMap(([name, kind]) => {
      const source = isConstant(kind) ? changed : given;
      return name in source ? [[name, source[name]]] : [];
    }),
  );
  const result = withRules(z.object(settings), rules).safeParse(values, {
    error: ({ input }) => (input === undefined ? 'is not set' : undefined),
  });
  const wrong = (result.error?.issues ?? [])
    .filter((issue) => !told.has(String(issue.path[0])))
    .map((issue) => `${sourceOf(issue.path, filled)}: ${issue.message}`);
  const found = [...testConstantsProblems(given), ...findProblems(given)];
  const lines = [...problems, ...wrong, ...found].map((line) => `  ${line}`);
  if (result.success && lines.length === 0) return result.data;
  throw new ConfigError(`Settings are missing or wrong:\n${[...new Set(lines)].join('\n')}`);
}

/** Reports all problems in one run. */
const withRules = <Schema extends z.ZodObject>(schema: Schema, rules: readonly Rule[]): Schema =>
  rules.reduce<Schema>(
    (checked, { isKept, path, message }) =>
      checked.refine((settings) => isKept(settings as never), { path, message, when: () => true }),
    schema,
  );

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

/** The constants that a test changes for a process which it starts. */
function readTestConstants({ TEST_CONSTANTS: text }: Environment): Environment {
  return text === undefined || testConstantsProblem(text) !== undefined ? {} : JSON.parse(text);
}

/** Why the text changes no constants: a name that is none would change nothing. */
function testConstantsProblem(text: string): string | undefined {
  try {
    const unknown = Object.keys(JSON.parse(text)).find((name) => !constantNames.has(name));
    return unknown === undefined ? undefined : `names ${unknown}, which is no constant`;
  } catch {
    return 'must be JSON';
  }
}

/** The problems of a process that a test has started. */
const testConstantsProblems = ({ ENVIRONMENT, TEST_CONSTANTS: text }: Environment): string[] => {
  if (text === undefined) return [];
  const problem =
    ENVIRONMENT === 'production' ? 'is for the test environment only' : testConstantsProblem(text);
  return problem === undefined ? [] : [`TEST_CONSTANTS: ${problem}`];
};

/** The public address is known: where no setting says it, it is that of this machine. */
interface Located {
  readonly http: { readonly publicUrl: string };
}

const located = <Groups extends { readonly http: InCamelCase<ReadSettings<typeof httpSettings>> }>(
  groups: Groups,
): Groups & Located => {
  const { publicUrl = `http://localhost:${groups.http.port}` } = groups.http;
  return { ...groups, http: { ...groups.http, publicUrl } };
};

/** Reads groups of settings; `constants` are those that a test changes in its own process. */
const readerOf =
  <Given extends Groups>(groups: Given, reading: Reading = {}) =>
  (environment: Environment = process.env, constants?: Environment): ReadGroups<Given> =>
    readGroups(groups, environment, { ...reading, constants });

const serviceReading = {
  rules: [...connectionRules, ...providerRules],
  findProblems: serviceProblems,
};
const readApi = readerOf(apiGroups, serviceReading);
const readWorker = readerOf(workerGroups, serviceReading);

/** The settings of the API process. */
export const readApiConfig = (...given: Parameters<typeof readApi>): ApiConfig =>
  located(readApi(...given));

/** The settings of the worker process. */
export const readConfig = (...given: Parameters<typeof readWorker>): Config =>
  located(readWorker(...given));

/** The settings of the API process, overridden by those that `npm start` makes for its servers. */
export const readApiConfigWith = (overrides: Environment): ApiConfig =>
  readApiConfig(ownEnvironmentWith(overrides));

/** The settings of `npm start`. */
export const readStartConfig = (environment: Environment = process.env): StartConfig =>
  readSettings(startSettings, environment, { findProblems: startProblems });

/** The settings of the demo, which looks for the servers of `npm start`. */
export const readDemoConfig = readerOf(demoGroups, { rules: connectionRules });

/** The payload keys for the codec server. */
export const readPayloadKeys = (text: string): Config['secrets']['payloadKeys'] =>
  keyRing.parse(text);

/** The settings of the migration process. */
export const readMigrationConfig = readerOf(migrationGroups, { rules: connectionRules });

/** The settings of the codec server as a separate process. */
export const readCodecServerConfig = readerOf(codecGroups, { rules: codecRules });

/** The settings of the sandbox as a separate process, by their names in the environment. */
export const readSandboxConfig = (environment: Environment = process.env) =>
  readSettings(sandboxSettings, environment, { findProblems: sandboxProblems });

/** The settings of the operator's command line, which looks for missing ones at `npm start`. */
export const readAdminConfig = readerOf(adminGroups);

/** The settings of the operator's command line, overridden by those of `npm start`. */
export const readAdminConfigWith = (overrides: Environment): AdminConfig =>
  readAdminConfig(ownEnvironmentWith(overrides));
