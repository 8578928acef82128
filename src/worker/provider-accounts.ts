import type { ActivityDependencies } from '../../activities/dependencies.js';
import type { AccountAtProvider } from '../../activities/provider-statements/account-at-provider.js';

/** Our accounts at the configured providers of payments and top-ups. */
export const providerAccounts = ({
  mobileMoney,
  airtime,
}: Pick<ActivityDependencies, 'mobileMoney' | 'airtime'>): AccountAtProvider[] => [
  ...mobileMoney.names.map((name) => ({
    name,
    kind: 'mobile-money' as const,
    isDefault: name === mobileMoney.defaultName,
    account: mobileMoney.named(name),
  })),
  ...airtime.names.map((name) => ({
    name,
    kind: 'airtime' as const,
    isDefault: name === airtime.defaultName,
    account: airtime.named(name),
  })),
];
