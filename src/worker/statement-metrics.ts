import type { Database } from '../db/connection.ts';
import { countOpenCases } from '../db/positions/cases.ts';
import { listBalances } from '../db/provider-statements/provider-balances.ts';
import { caseReasons } from '../domain/positions/words.ts';
import type { Metrics } from '../process/metrics/metrics.ts';

/** What a worker knows of our balances at providers. */
export interface WatchedBalances {
  /** The configured providers that say our balance. */
  readonly providers: readonly string[];
  readonly minimums: Readonly<Record<string, number>>;
  readonly intervalSeconds: number;
  /** A provider that has never said our balance counts from here. */
  readonly watchedSince: Date;
}

/** Shows open cases, and our balances at the providers. */
export async function showStatements(
  metrics: Metrics,
  database: Database,
  balances: WatchedBalances,
): Promise<void> {
  const counts = await countOpenCases(database);
  for (const why of caseReasons) {
    const found = counts.find((one) => one.why === why);
    metrics.set('open_cases', { why }, found?.count ?? 0);
  }
  await showBalances(metrics, database, balances);
}

/** Readings of providers that are not configured any more would look like those of silent ones. */
async function showBalances(
  metrics: Metrics,
  database: Database,
  { providers, minimums, intervalSeconds, watchedSince }: WatchedBalances,
): Promise<void> {
  metrics.set('provider_balance_interval_seconds', {}, intervalSeconds);
  const readings = await listBalances(database);
  for (const provider of providers) {
    const reading = readings.find((one) => one.provider === provider);
    if (reading) metrics.set('provider_balance', { provider }, Number(reading.amount));
    const seconds = (reading?.readAt ?? watchedSince).getTime() / 1_000;
    metrics.set('provider_balance_read_timestamp_seconds', { provider }, seconds);
    const minimum = minimums[provider];
    if (minimum !== undefined) metrics.set('provider_balance_minimum', { provider }, minimum);
  }
}
