import { CancellationScope, sleep } from '@temporalio/workflow';
import { providerStatements, reconciliation } from './activity-options.ts';
import { bulletList, showDetails } from './current-details.ts';
import { needsPerson } from './steps/failures.ts';

/** The compared provider statements, for the Temporal UI. */
interface CompareStatementsResult {
  readonly compared: readonly string[];
}

/**
 * Compares the provider statements of closed days with our books; a Schedule starts it every day. A
 * provider statement that cannot be read is tried again with pauses. The open differences become
 * cases with their own workflows. A cancellation in the UI has no effect.
 *
 * @throws ApplicationFailure that names the provider statements that could not be compared
 */
export function compareStatements(): Promise<CompareStatementsResult> {
  return CancellationScope.nonCancellable(async () => {
    const compared = new Set<string>();
    for (let tries = 1; ; tries += 1) {
      const round = await providerStatements.compareProviderStatements(tries);
      for (const line of round.compared) compared.add(line);
      showDetails(
        `**Compared**: ${compared.size}.`,
        bulletList([...compared, ...round.unfinished]),
      );
      if (round.canRetry && tries < round.maximumTries) {
        await sleep(round.retrySeconds * 1_000, { summary: 'Pause before the next try' });
        continue;
      }
      await reconciliation.openCases(false);
      if (round.unfinished.length > 0) throw needsPerson(round.unfinished.join('\n'));
      return { compared: [...compared] };
    }
  });
}

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
      : `**Not said by**:\n${bulletList(silent)}`,
  );
  return { silent };
}
