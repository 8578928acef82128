import type { AdminConfig } from '../config/config.ts';
import { configuredProviders } from '../config/rules.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
  SmsProviderName,
} from '../domain/providers.ts';
import {
  createAirtimeSet,
  createMobileMoneySet,
  createSmsSenders,
  ProviderNotConfigured,
  type ProviderSet,
} from '../providers/provider-set.ts';
import type { ProviderAccount } from '../providers/statement.ts';
import { providerAccounts } from '../runtime/worker/observed-providers.ts';
import type { ProviderPort } from './command.ts';
import type { ListedProviders } from './compare-books.ts';
import { AdminError } from './fields.ts';

/** @throws {AdminError} without the settings of a default provider */
export function providersOf(config: AdminConfig): ListedProviders {
  try {
    return { mobileMoney: createMobileMoneySet(config), airtime: createAirtimeSet(config) };
  } catch (error) {
    if (!(error instanceof ProviderNotConfigured)) throw error;
    throw new AdminError(
      `This needs the settings of the provider ${error.provider}, as the worker process has them.`,
    );
  }
}

/** All configured providers, also those whose kind has a default that is not. */
export function providerPortsOf(config: AdminConfig): ProviderPort[] {
  const configured = configuredProviders(config.providers);
  const portsOf = <Name extends string>(
    names: readonly string[],
    create: (name: Name) => ProviderSet<Name, ProviderPort['port']>,
  ): ProviderPort[] => {
    const [first] = names as readonly Name[];
    if (first === undefined) return [];
    const set = create(first);
    return set.names.map((name) => ({ name, port: set.named(name) }));
  };
  const withDefault = (chosen: Partial<AdminConfig['defaultProviders']>) => ({
    ...config,
    defaultProviders: { ...config.defaultProviders, ...chosen },
  });
  return [
    ...portsOf(configured.sms, (name: SmsProviderName) =>
      createSmsSenders(withDefault({ smsProvider: name })),
    ),
    ...portsOf(configured.payout, (name: MobileMoneyProviderName) =>
      createMobileMoneySet(withDefault({ mobileMoneyProvider: name })),
    ),
    ...portsOf(configured['topup-airtime'], (name: AirtimeProviderName) =>
      createAirtimeSet(withDefault({ airtimeProvider: name })),
    ),
  ];
}

/** @throws {AdminError} where the provider is not configured */
export function accountOf(config: AdminConfig, name: string): ProviderAccount {
  const found = providerAccounts(providersOf(config)).find((one) => one.name === name);
  if (found) return found.account;
  throw new AdminError(`The provider ${name} is not configured: give its statement with --file.`);
}
