import type { Database } from '../db/connection.js';
import { countOpenBreaks } from '../db/provider-statements/breaks.js';
import { listBalances } from '../db/provider-statements/provider-balances.js';
import { breakTypes } from '../domain/provider-statements/break-types.js';
import { statementProviderNames } from '../domain/provider-statements/statement-providers.js';
import type { Metrics } from '../process/metrics/metrics.js';

/** Shows open breaks, and our balances at the providers. */
export async function showStatements(
  metrics: Metrics,
  database: Database,
  minimums: Readonly<Record<string, number>>,
): Promise<void> {
  const breaks = await countOpenBreaks(database);
  for (const provider of statementProviderNames)
    for (const type of breakTypes) {
      const found = breaks.find((one) => one.provider === provider && one.type === type);
      metrics.set('provider_breaks', { provider, type }, found?.count ?? 0);
    }
  for (const { provider, amount, readAt } of await listBalances(database)) {
    metrics.set('provider_balance', { provider }, Number(amount));
    const seconds = readAt.getTime() / 1_000;
    metrics.set('provider_balance_read_timestamp_seconds', { provider }, seconds);
  }
  for (const [provider, minimum] of Object.entries(minimums))
    metrics.set('provider_balance_minimum', { provider }, minimum);
}
