import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from '../../domain/providers/provider-names.js';

type ProviderName =
  | (typeof smsProviderNames)[number]
  | (typeof mobileMoneyProviderNames)[number]
  | (typeof airtimeProviderNames)[number];

/** What each provider needs. The first is its address: where it is set, the provider is configured. */
const needed: Readonly<Record<ProviderName, readonly [address: string, ...others: string[]]>> = {
  'africas-talking': ['SMS_URL', 'SMS_API_KEY'],
  gsma: ['MOBILE_MONEY_URL', 'MOBILE_MONEY_ACCOUNT'],
  'dt-one': ['AIRTIME_URL', 'AIRTIME_KEY', 'AIRTIME_SECRET'],
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

/** The default of each kind, and each provider with an address, has all that it needs. */
export const providerRules = Object.entries(defaults).flatMap(([choice, providers]) =>
  providers.flatMap((provider) =>
    needed[provider].map((name) => ({
      isKept: (given: Given) =>
        given[name] !== undefined || !isUsed(given, choice, provider, needed[provider][0]),
      path: [name] as [string],
      message: 'is not set',
    })),
  ),
);
