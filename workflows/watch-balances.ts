import { providerStatements } from './activity-options.ts';
import { showDetails } from './current-details.ts';

/** The providers that did not say our balance, for the Temporal UI. */
interface WatchBalancesResult {
  readonly silent: readonly string[];
}

/**
 * Asks the providers for our balances; a Schedule starts it. Alerts are by the metrics of the last
 * readings.
 */
export async function watchBalances(): Promise<WatchBalancesResult> {
  const silent = await providerStatements.readProviderBalances();
  showDetails(
    silent.length === 0
      ? 'All providers said our balance, as far as they can.'
      : `**Not said by**:\n${silent.map((line) => `- ${line}`).join('\n')}`,
  );
  return { silent };
}
