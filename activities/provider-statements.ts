import { heartbeat, log } from '@temporalio/activity';
import { type Database, isDefiniteDatabaseError } from '../src/db/connection.ts';
import { compareBalance, recordBalance } from '../src/db/provider-statements/balances.ts';
import { noteMissingFiles } from '../src/db/provider-statements/compare-lines.ts';
import {
  dueDays,
  type StatementDay,
  type StatementProvider,
} from '../src/db/provider-statements/statements.ts';
import { type Day, lastClosedDay } from '../src/domain/day-report.ts';
import {
  type AccountAtProvider,
  type BalanceAtProvider,
  type ComparisonResult,
  compareAgain,
  compareFetched,
  comparisonSettings,
} from './compare-statement.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';

/** Asks each provider for our balance, and records it; returns those that did not say it, and why. */
async function readBalances(
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

/**
 * Records a balance. Returns why the database refuses it; the balances of other providers are recorded all the same.
 */
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

/**
 * Closed days whose provider statements are compared, and compared again while something is
 * unexplained.
 */
const STATEMENT_DAYS = 7;
/** Days after which the provider statement counts as missing, for a provider without a list such as M-Pesa. */
const STATEMENT_FILE_DAYS = 2;

/** The result of one round of comparisons. */
interface ComparisonRound {
  /** Compared days, for people. */
  readonly compared: readonly string[];
  /** Days that could not be compared, and why. */
  readonly unfinished: readonly string[];
  /** Whether some may be compared when they are tried again. */
  readonly canRetry: boolean;
  readonly retrySeconds: number;
  readonly maximumTries: number;
}

export function createProviderStatementActivities(
  dependencies: ActivityDependencies,
  days = STATEMENT_DAYS,
) {
  const { database, providerAccounts } = dependencies;
  const { schedules, market } = dependencies.settings;
  const { marketTimeZone: zone } = market;
  const { providerStatementTries: maximumTries, providerStatementRetrySeconds: retrySeconds } =
    schedules;
  const settings = comparisonSettings(dependencies.settings);

  /** Compares the provider statements of due days, provider by provider, day by day. */
  const compareProviderStatements = (tries: number): Promise<ComparisonRound> =>
    withHeartbeat(async () => {
      const compared: string[] = [];
      const unfinished: string[] = [];
      let canRetry = false;
      for (const provider of providerAccounts) {
        if (!provider.account.listStatement) {
          for (const day of await daysWithoutFile(provider))
            unfinished.push(`${provider.name} ${day}: give its file`);
          continue;
        }
        for (const { day, result } of await compareProvider(provider, tries >= maximumTries)) {
          const name = `${provider.name} ${day}`;
          if (result.kind === 'compared') {
            compared.push(
              `${name}: ${result.observed} booked, ${result.unexplained} not explained yet`,
            );
            // The readings compare the last day alone, and this one may be older.
            await compareBalance(database, { provider, day, zone }, schedules);
          } else unfinished.push(`${name}: ${result.message}`);
          if (result.kind === 'failed') canRetry = true;
        }
      }
      return { compared, unfinished, canRetry, retrySeconds, maximumTries };
    });

  /** The days of a provider without a list of transactions whose file is missing. */
  const daysWithoutFile = (provider: StatementProvider): Promise<Day[]> =>
    noteMissingFiles(database, provider, {
      zone,
      days,
      fileDays: STATEMENT_FILE_DAYS,
      lastDay: lastClosedDay(new Date(), zone),
    });

  async function compareProvider(
    provider: AccountAtProvider,
    isLastTry: boolean,
  ): Promise<{ day: Day; result: ComparisonResult }[]> {
    const lastDay = lastClosedDay(new Date(), zone);
    const due = await dueDays(database, { provider: provider.name, lastDay, days, zone });
    const results: { day: Day; result: ComparisonResult }[] = [];
    for (const day of due) {
      heartbeat(`${provider.name} ${day}`);
      const of: StatementDay = { provider, day, zone };
      const result = await compareFetched(database, of, provider.account, {
        ...settings,
        isLastTry,
      });
      if (result.kind !== 'compared')
        log.error('A statement could not be compared', { provider: provider.name, day, result });
      results.push({ day, result });
    }
    return againstLaterDays(provider, results);
  }

  /** A transaction near midnight may stand in the provider statement of a day that was read later. */
  async function againstLaterDays(
    provider: StatementProvider,
    results: { day: Day; result: ComparisonResult }[],
  ) {
    const again = results.slice(0, -1).filter(({ result }) => hasOpen(result));
    for (const one of again)
      one.result = await compareAgain(database, { provider, day: one.day, zone }, settings);
    return results;
  }

  return { compareProviderStatements };
}

export function createBalanceActivities({
  database,
  balanceAccounts,
  providerAccounts,
  settings: { market, schedules },
}: ActivityDependencies) {
  /**
   * Asks each provider for our balance. Compares its change on the last closed day with what the
   * provider did. Returns the providers that did not tell it.
   */
  const readProviderBalances = (): Promise<string[]> =>
    withHeartbeat(async () => {
      const silent = await readBalances(database, balanceAccounts);
      const day = lastClosedDay(new Date(), market.marketTimeZone);
      for (const provider of providerAccounts)
        await compareBalance(database, { provider, day, zone: market.marketTimeZone }, schedules);
      return silent;
    });

  return { readProviderBalances };
}

const hasOpen = (result: ComparisonResult): boolean =>
  result.kind === 'compared' && result.unexplained > 0;
