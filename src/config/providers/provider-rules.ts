import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from '../../domain/providers/provider-names.ts';
import { type RouteKind, routedProviders, routeKinds } from '../../domain/providers/routes.ts';
import { callbackProviders } from './provider-settings.ts';

type ProviderName =
  | (typeof smsProviderNames)[number]
  | (typeof mobileMoneyProviderNames)[number]
  | (typeof airtimeProviderNames)[number];

/** What each provider needs. The first is its address: where it is set, the provider is configured. */
const needed: Readonly<Record<ProviderName, readonly [address: string, ...others: string[]]>> = {
  'africas-talking': ['SMS_URL', 'SMS_API_KEY'],
  smpp: ['SMPP_URL'],
  gsma: ['MOBILE_MONEY_URL', 'MOBILE_MONEY_ACCOUNT'],
  mpesa: [
    'MPESA_URL',
    ...['MPESA_CONSUMER_KEY', 'MPESA_CONSUMER_SECRET', 'MPESA_SHORT_CODE', 'MPESA_INITIATOR'],
    'CALLBACK_URL',
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

/** Callbacks that are not signed: without a secret in their path they come from anybody. */
const callbackRules = callbackProviders.map((provider) => ({
  isKept: (given: Given) =>
    given[needed[provider][0]] === undefined ||
    // M-Pesa answers payments and inquiries only there.
    (given.ENVIRONMENT !== 'production' && provider !== 'mpesa') ||
    (given.CALLBACK_SECRETS as Given | undefined)?.[provider] !== undefined,
  path: ['CALLBACK_SECRETS'] as [string],
  message: `has none for ${provider}: callbacks without it come from anybody`,
}));

/** The default of each kind, and each provider with an address, has all that it needs. */
export const providerRules = [
  mpesaCredential,
  ...callbackRules,
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
