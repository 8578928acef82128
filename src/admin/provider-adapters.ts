import type { AdminConfig } from '../config/config.ts';
import {
  createAirtimeSet,
  createMobileMoneySet,
  ProviderNotConfigured,
} from '../providers/provider-set.ts';
import type { ProviderAccount } from '../providers/statement.ts';
import { providerAccounts } from '../runtime/worker/observed-providers.ts';
import { AdminError } from './fields.ts';

/** @throws {AdminError} without the settings of a default provider */
export function providersOf(config: AdminConfig) {
  try {
    return { mobileMoney: createMobileMoneySet(config), airtime: createAirtimeSet(config) };
  } catch (error) {
    if (!(error instanceof ProviderNotConfigured)) throw error;
    throw new AdminError(
      `This needs the settings of the provider ${error.provider}, as the worker process has them.`,
    );
  }
}

/** @throws {AdminError} where the provider is not configured */
export function accountOf(config: AdminConfig, name: string): ProviderAccount {
  const found = providerAccounts(providersOf(config)).find((one) => one.name === name);
  if (found) return found.account;
  throw new AdminError(`The provider ${name} is not configured: give its statement with --file.`);
}
