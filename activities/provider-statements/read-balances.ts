import { log } from '@temporalio/activity';
import { type Database, isDefiniteDatabaseError } from '../../src/db/connection.ts';
import { recordBalance } from '../../src/db/provider-statements/provider-balances.ts';
import type { BalanceAtProvider } from './account-at-provider.ts';

/** Asks each provider for our balance, and records it; returns those that did not say it, and why. */
export async function readBalances(
  database: Database,
  accounts: readonly BalanceAtProvider[],
): Promise<string[]> {
  const silent: string[] = [];
  for (const { name, account } of accounts) {
    const askedAt = performance.now();
    const found = await account.balance?.();
    const ageSeconds = (performance.now() - askedAt) / 1_000;
    const problem =
      found?.kind === 'balance'
        ? await record(database, { provider: name, ...found, ageSeconds })
        : found?.message;
    if (problem !== undefined) silent.push(`${name}: ${problem}`);
  }
  if (silent.length > 0) log.warn('Providers did not say our balance', { silent });
  return silent;
}

/** Records a balance; why the database refuses it, which stops no other provider's. */
async function record(
  database: Database,
  balance: Parameters<typeof recordBalance>[1],
): Promise<string | undefined> {
  try {
    await recordBalance(database, balance);
    return undefined;
  } catch (error) {
    if (!isDefiniteDatabaseError(error)) throw error;
    return `the database refuses its balance, with SQLSTATE ${error.code}`;
  }
}
