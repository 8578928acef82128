import type { z } from 'zod';
import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  type ProviderName,
  smsProviderNames,
} from '../domain/providers.ts';
import { usesTls } from '../runtime/temporal/temporal-server.ts';
import { isLoopback, parseDatabaseAddress } from './setting-kinds.ts';
import { camelCase, type InCamelCase, inCamelCase } from './setting-names.ts';
import type { codecSettings } from './settings/access-settings.ts';
import type {
  databaseSettings,
  processSettings,
  temporalSettings,
} from './settings/deployment-settings.ts';
import { callbackProviders, type providerSettings } from './settings/provider-settings.ts';

/** A rule about several settings, which may be missing or wrong, as they were given. */
export interface Rule<Settings = never> {
  readonly isKept: (settings: Settings) => boolean;
  readonly path: [string];
  readonly message: string;
}

/**
 * Settings that decide who receives money and messages, and where links lead: production uses no
 * defaults for them. A setting of a provider stands with the setting of its address, because only
 * users of the provider have to name it.
 */
const NAMED: readonly (readonly [name: string, address?: string])[] = [
  ['SMS_PROVIDER'],
  ['SMS_USERNAME', 'SMS_URL'],
  ['MOBILE_MONEY_PROVIDER'],
  ['AIRTIME_PROVIDER'],
  ['AIRTIME_PRODUCTS', 'AIRTIME_URL'],
  ['PUBLIC_URL'],
];

const PROVIDER_ADDRESSES = ['SMS_URL', 'SMTP_URL', 'MOBILE_MONEY_URL', 'AIRTIME_URL'];
/** Of providers that need not be configured. */
const FURTHER_ADDRESSES = [
  ...['MPESA_URL', 'SMPP_URL', 'RELOADLY_URL'],
  // They get the credentials.
  ...['MOBILE_MONEY_TOKEN_URL', 'RELOADLY_TOKEN_URL'],
];

/** The name of the sandbox in docker-compose.yml. */
const SANDBOX_HOST = 'sandbox';

/** Settings as the environment gives them. */
type Environment = Readonly<Record<string, string | undefined>>;

const isProduction = ({ ENVIRONMENT }: Environment) => ENVIRONMENT === 'production';

const isSandbox = (address: string | undefined): boolean =>
  URL.parse(address ?? '')?.hostname.split('.')[0] === SANDBOX_HOST;

/** People send passwords to the public address, and browsers keep passkeys for https. */
const isInClear = (address: string | undefined): boolean => {
  const url = URL.parse(address ?? '');
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
};

const namesOf = (given: Environment): readonly string[] =>
  NAMED.filter(([, address]) => address === undefined || given[address] !== undefined).map(
    ([name]) => name,
  );

/**
 * The problems that prevent production, a line each: every provider and the public address must be
 * set, the address with https, and no provider may be the sandbox.
 */
export const serviceProblems = (given: Environment): string[] =>
  isProduction(given)
    ? [
        ...namesOf(given)
          .filter((name) => given[name] === undefined)
          .map((name) => `${name}: must be set in production`),
        ...(given.SANDBOX_URL === undefined
          ? []
          : ['SANDBOX_URL: must not be set in production; the sandbox is for tests only']),
        ...(isInClear(given.PUBLIC_URL)
          ? ['PUBLIC_URL: must be an https address in production']
          : []),
        ...(given.WEBHOOK_PRIVATE_NETWORKS === 'on'
          ? ['WEBHOOK_PRIVATE_NETWORKS: must be "off" in production']
          : []),
        ...[...PROVIDER_ADDRESSES, ...FURTHER_ADDRESSES]
          .filter((name) => isSandbox(given[name]))
          .map((name) => `${name}: is the address of the sandbox, which is not for production`),
      ]
    : [];

/** The problems of `npm start`, which would start the sandbox for a missing address. */
export const startProblems = (given: Environment): string[] =>
  isProduction(given)
    ? PROVIDER_ADDRESSES.filter((name) => given[name] === undefined).map(
        (name) =>
          `${name}: must be set in production; the sandbox is for the test environment only`,
      )
    : [];

/** The problems that prevent the start of the sandbox. */
export const sandboxProblems = (given: Environment): string[] =>
  isProduction(given) ? ['ENVIRONMENT: the sandbox is for the test environment only'] : [];

type Settings = Partial<
  z.infer<z.ZodObject<typeof processSettings & typeof databaseSettings & typeof temporalSettings>>
>;

const databaseSettingNames = ['DATABASE_URL', 'DATABASE_READ_URL', 'WORKER_DATABASE_URL'] as const;
type DatabaseSetting = (typeof databaseSettingNames)[number];

/** Modes in which the server must encrypt; some also verify its identity. */
const SSL_MODES = ['require', 'verify-ca', 'verify-full'];

const mayBeInClear = ({ ENVIRONMENT, TRUST_UNENCRYPTED_NETWORK }: Settings): boolean =>
  ENVIRONMENT !== 'production' || TRUST_UNENCRYPTED_NETWORK === 'yes';

function isDatabaseSafe(settings: Settings, name: DatabaseSetting): boolean {
  const { [name]: text } = settings;
  if (mayBeInClear(settings) || text === undefined || text.startsWith('/')) return true;
  const address = parseDatabaseAddress(text);
  // The setting itself is refused then.
  if (!address) return true;
  const { hostname, searchParams } = address;
  const host = searchParams.get('host') ?? hostname;
  // An empty name or a path is a socket in the file system.
  if (host === '' || decodeURIComponent(host).startsWith('/') || isLoopback(host)) return true;
  return SSL_MODES.includes(searchParams.get('sslmode') ?? '');
}

function isTemporalSafe(settings: Settings): boolean {
  const { TEMPORAL_ADDRESS: address } = settings;
  if (mayBeInClear(settings) || address === undefined) return true;
  return usesTls(inCamelCase(settings)) || isLoopback(address.replace(/:\d+$/, ''));
}

const UNLESS =
  'or, on a network without other participants, set TRUST_UNENCRYPTED_NETWORK to "yes"';

/**
 * The rules of production for connections: an attacker between the service and
 * PostgreSQL or Temporal could read amounts and numbers, and move money.
 */
export const connectionRules: readonly Rule<Settings>[] = [
  ...databaseSettingNames.map((name) => ({
    isKept: (settings: Settings) => isDatabaseSafe(settings, name),
    path: [name] as [string],
    message: `is on another machine and not encrypted: add sslmode=verify-full, ${UNLESS}`,
  })),
  {
    isKept: isTemporalSafe,
    path: ['TEMPORAL_ADDRESS'],
    message: `is on another machine and not encrypted: set TEMPORAL_TLS to "on", ${UNLESS}`,
  },
  {
    isKept: ({ TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY }) =>
      (TEMPORAL_TLS_CERT === undefined) === (TEMPORAL_TLS_KEY === undefined),
    path: ['TEMPORAL_TLS_CERT'],
    message: 'and TEMPORAL_TLS_KEY belong together: set both',
  },
];

/** What each provider needs. The first is its address: where it is set, the provider is configured. */
const needed: Readonly<Record<ProviderName, readonly [address: string, ...others: string[]]>> = {
  'africas-talking': ['SMS_URL', 'SMS_API_KEY'],
  smpp: ['SMPP_URL'],
  gsma: ['MOBILE_MONEY_URL', 'MOBILE_MONEY_ACCOUNT'],
  mpesa: [
    'MPESA_URL',
    ...['MPESA_CONSUMER_KEY', 'MPESA_CONSUMER_SECRET', 'MPESA_SHORT_CODE', 'MPESA_INITIATOR'],
    ...['MPESA_SECURITY_CREDENTIAL', 'CALLBACK_URL'],
  ],
  'dt-one': ['AIRTIME_URL', 'AIRTIME_KEY', 'AIRTIME_SECRET'],
  reloadly: ['RELOADLY_URL', 'RELOADLY_CLIENT_ID', 'RELOADLY_CLIENT_SECRET', 'RELOADLY_OPERATORS'],
};

/** The settings of the defaults, which must be configured. */
const defaults = {
  SMS_PROVIDER: smsProviderNames,
  MOBILE_MONEY_PROVIDER: mobileMoneyProviderNames,
  AIRTIME_PROVIDER: airtimeProviderNames,
} as const;

/** Settings that may be missing or wrong. */
type Given = Readonly<Record<string, unknown>>;

const isUsed = (given: Given, choice: string, provider: string, address: string): boolean =>
  given[choice] === provider || given[address] !== undefined;

/** Callbacks that are not signed: without a secret in their path they come from anybody. */
const callbackRules = callbackProviders.map(
  (provider): Rule<Given> => ({
    isKept: (given: Given) =>
      given[needed[provider][0]] === undefined ||
      // M-Pesa answers payments and inquiries only there.
      (given.ENVIRONMENT !== 'production' && provider !== 'mpesa') ||
      (given.CALLBACK_SECRETS as Given | undefined)?.[provider] !== undefined,
    path: ['CALLBACK_SECRETS'],
    message: `has none for ${provider}: callbacks without it come from anybody`,
  }),
);

/** The default of each kind, and each provider with an address, has all that it needs. */
export const providerRules: readonly Rule<Given>[] = [
  ...callbackRules,
  ...Object.entries(defaults).flatMap(([choice, providers]) =>
    providers.flatMap((provider) =>
      needed[provider].map((name) => ({
        isKept: (given: Given) =>
          given[name] !== undefined || !isUsed(given, choice, provider, needed[provider][0]),
        path: [name] satisfies [string],
        message: 'is not set',
      })),
    ),
  ),
];

/** Whether the address of a provider is set. */
export const isProviderConfigured = (
  settings: InCamelCase<z.infer<z.ZodObject<typeof providerSettings>>>,
  provider: ProviderName,
): boolean => (settings as Given)[camelCase(needed[provider][0])] !== undefined;

type CodecSettings = Partial<z.infer<z.ZodObject<typeof codecSettings>>>;

/** Somebody can sign in to the codec server, and tokens are checked in full or not at all. */
export const codecRules: readonly Rule<CodecSettings>[] = [
  {
    isKept: ({ CODEC_SERVER_TOKEN_ISSUER: issuer, CODEC_SERVER_OPERATORS: operators }) =>
      issuer !== undefined || operators?.length !== 0,
    path: ['CODEC_SERVER_OPERATORS'],
    message: 'is not set',
  },
  ...(['CODEC_SERVER_TOKEN_AUDIENCE', 'CODEC_SERVER_TOKEN_KEYS_URL'] as const).map(
    (name): Rule<CodecSettings> => ({
      isKept: (settings) =>
        settings.CODEC_SERVER_TOKEN_ISSUER === undefined || settings[name] !== undefined,
      path: [name],
      message: 'is not set',
    }),
  ),
  {
    isKept: ({ CODEC_SERVER_TOKEN_ISSUER: issuer, CODEC_SERVER_TOKEN_CLAIMS: claims }) =>
      issuer === undefined || claims?.some(({ what }) => what === 'decode') !== false,
    path: ['CODEC_SERVER_TOKEN_CLAIMS'],
    message: 'is not set',
  },
];
