import { countUnpaidAccounts } from '../db/catalogue/payout-account-checks.ts';
import type { Database } from '../db/connection.ts';
import { unpaidStates } from '../domain/providers/payout-account.ts';
import {
  type MobileMoneyProviderName,
  mobileMoneyProviderNames,
} from '../domain/providers/provider-names.ts';
import type { Metrics } from '../process/metrics/metrics.ts';

/** Shows the payout accounts that are not paid. */
export async function showUnpaidAccounts(
  metrics: Metrics,
  database: Database,
  defaultProvider: MobileMoneyProviderName,
): Promise<void> {
  const unpaid = await countUnpaidAccounts(database, defaultProvider);
  for (const provider of mobileMoneyProviderNames)
    for (const state of unpaidStates) {
      const found = unpaid.find((one) => one.provider === provider && one.state === state);
      metrics.set('payout_accounts_refused', { provider, state }, found?.count ?? 0);
    }
}
