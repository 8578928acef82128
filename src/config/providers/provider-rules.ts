import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from '../../domain/providers/provider-names.ts';
import { type RouteKind, routedProviders, routeKinds } from '../../domain/providers/routes.ts';

type ProviderName =
  | (typeof smsProviderNames)[number]
  | (typeof mobileMoneyProviderNames)[number]
  | (typeof airtimeProviderNames)[number];

/** What each provider needs. The first is its address: where it is set, the provider is configured. */
const needed: Readonly<Record<ProviderName, readonly [address: string, ...others: string[]]>> = {
  'africas-talking': ['SMS_URL', 'SMS_API_KEY'],
  smpp: ['SMPP_URL', 'SMPP_SYSTEM_ID', 'SMPP_PASSWORD'],
  gsma: ['MOBILE_MONEY_URL', 'MOBILE_MONEY_ACCOUNT'],
  mpesa: [
    'MPESA_URL',
    ...['MPESA_CONSUMER_KEY', 'MPESA_CONSUMER_SECRET', 'MPESA_SHORT_CODE', 'MPESA_INITIATOR'],
    ...['MPESA_CALLBACK_URL', 'MPESA_CALLBACK_SECRET'],
  ],
  'dt-one': ['AIRTIME_URL', 'AIRTIME_KEY', 'AIRTIME_SECRET'],
  reloadly: [
    'RELOADLY_URL',
    'RELOADLY_CLIENT_ID',
    'RELOADLY_CLIENT_SECRET',
    'RELOADLY_OPERATOR_ETHIO_TELECOM',
    'RELOADLY_OPERATOR_SAFARICOM_ETHIOPIA',
  ],
};

/** The settings of the defaults, which must be configured. */
const defaults = {
  SMS_PROVIDER: smsProviderNames,
  MOBILE_MONEY_PROVIDER: mobileMoneyProviderNames,
  AIRTIME_PROVIDER: airtimeProviderNames,
} as const;

type Given = Readonly<Record<string, unknown>>;

const isUsed = (given: Given, choice: string, provider: string, address: string): boolean =>
  given[choice] === provider || given[address] !== undefined;

/** M-Pesa's credential is given ready, or made of the password. */
const mpesaCredential = {
  isKept: (given: Given) =>
    given.MPESA_SECURITY_CREDENTIAL !== undefined ||
    (given.MPESA_INITIATOR_PASSWORD !== undefined && given.MPESA_CERTIFICATE !== undefined) ||
    !isUsed(given, 'MOBILE_MONEY_PROVIDER', 'mpesa', 'MPESA_URL'),
  path: ['MPESA_SECURITY_CREDENTIAL'] as [string],
  message: 'is not set; or set MPESA_INITIATOR_PASSWORD and MPESA_CERTIFICATE',
};

/** The first word of each provider's settings. */
const prefixes: Readonly<Record<ProviderName, string>> = {
  'africas-talking': 'SMS',
  smpp: 'SMPP',
  gsma: 'MOBILE_MONEY',
  mpesa: 'MPESA',
  'dt-one': 'AIRTIME',
  reloadly: 'RELOADLY',
};

/** An adapter says how its call ended; the deadline of all calls ends one that does not. */
const timeLimitRules = Object.entries(prefixes).map(([provider, prefix]) => ({
  isKept: (given: Given) =>
    given[needed[provider as ProviderName][0]] === undefined ||
    !(Number(given[`${prefix}_TIMEOUT_SECONDS`]) >= Number(given.PROVIDER_DEADLINE_SECONDS)),
  path: [`${prefix}_TIMEOUT_SECONDS`] as [string],
  message: 'must be below PROVIDER_DEADLINE_SECONDS',
}));

/** The default of each kind, and each provider with an address, has all that it needs. */
export const providerRules = [
  mpesaCredential,
  ...timeLimitRules,
  ...Object.entries(defaults).flatMap(([choice, providers]) =>
    providers.flatMap((provider) =>
      needed[provider].map((name) => ({
        isKept: (given: Given) =>
          given[name] !== undefined || !isUsed(given, choice, provider, needed[provider][0]),
        path: [name] as [string],
        message: 'is not set',
      })),
    ),
  ),
];

/** The names of the providers whose addresses are set, by what is routed to them. */
export const configuredProviders = (given: Given): Record<RouteKind, readonly string[]> => {
  const isConfigured = (name: ProviderName) => given[needed[name][0]] !== undefined;
  const entries = routeKinds.map((kind) => [kind, routedProviders[kind].filter(isConfigured)]);
  return Object.fromEntries(entries);
};
