import type { ActivityDependencies } from '../../activities/dependencies.ts';
import type {
  AccountAtProvider,
  BalanceAtProvider,
} from '../../activities/provider-statements/account-at-provider.ts';

/** Our accounts at the configured providers of payments and top-ups. */
export const providerAccounts = ({
  mobileMoney,
  airtime,
}: Pick<ActivityDependencies, 'mobileMoney' | 'airtime'>): AccountAtProvider[] => [
  ...mobileMoney.names.map((name) => ({
    name,
    kind: 'mobile-money' as const,
    account: mobileMoney.named(name),
  })),
  ...airtime.names.map((name) => ({
    name,
    kind: 'airtime' as const,
    account: airtime.named(name),
  })),
];

/** Those, and our credit at the providers of messages. */
export const balanceAccounts = ({
  smsSenders,
  ...providers
}: Pick<ActivityDependencies, 'smsSenders' | 'mobileMoney' | 'airtime'>): BalanceAtProvider[] => [
  ...providerAccounts(providers),
  ...smsSenders.names.map((name) => ({ name, account: smsSenders.named(name) })),
];
