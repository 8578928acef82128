import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import type { BalanceAtProvider } from '../../../activities/compare-statement.ts';
import {
  archiveLedgerId,
  checkBooksId,
  compareStatementsId,
  expireVouchersId,
  reconcileId,
} from '../../../workflows/workflow-ids.ts';
import type { Config } from '../../config/config.ts';
import { countUnpaidAccounts } from '../../db/catalogue/payout-accounts.ts';
import type { Database } from '../../db/connection.ts';
import { readServiceState } from '../../db/overview.ts';
import { countOpenCases } from '../../db/positions/cases.ts';
import { listBalances } from '../../db/provider-statements/balances.ts';
import { unpaidStates } from '../../domain/payout-account.ts';
import { caseReasons } from '../../domain/positions/case-texts.ts';
import { mobileMoneyProviderNames } from '../../domain/providers.ts';
import {
  emailQueues,
  type HoldAge,
  holdAges,
  holdKinds,
  neededStates,
  type ScheduleName,
} from '../metrics/definitions.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Repetition, repeat } from './background/repeat.ts';

interface StateOptions {
  readonly metrics: Metrics;
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly settings: Pick<Config, 'temporal' | 'schedules' | 'defaultProviders' | 'observation'>;
  /** The accounts at the configured providers. */
  readonly balanceAccounts: readonly BalanceAtProvider[];
}

/** Shows the payout accounts that are not paid. */
async function showUnpaidAccounts({ metrics, database, settings }: StateOptions): Promise<void> {
  const { mobileMoneyProvider } = settings.defaultProviders;
  const unpaid = await countUnpaidAccounts(database, mobileMoneyProvider);
  for (const provider of mobileMoneyProviderNames)
    for (const state of unpaidStates) {
      const found = unpaid.find((one) => one.provider === provider && one.state === state);
      metrics.set('payout_accounts_refused', { provider, state }, found?.count ?? 0);
    }
}

async function showCases({ metrics, database }: StateOptions): Promise<void> {
  const counts = await countOpenCases(database);
  for (const why of caseReasons) {
    const found = counts.find((one) => one.why === why);
    metrics.set('open_cases', { why }, found?.count ?? 0);
  }
}

/**
 * Shows our balances at the providers that say them; the time of one that never did is the start. Readings of
 * providers that are not configured any more would look like those of silent ones.
 */
async function showBalances(
  { metrics, database, settings: { schedules }, balanceAccounts }: StateOptions,
  startedAt: Date,
): Promise<void> {
  const minimums: Readonly<Record<string, number>> = schedules.providerBalanceMinimums;
  const { providerBalanceIntervalSeconds } = schedules;
  metrics.set('provider_balance_interval_seconds', {}, providerBalanceIntervalSeconds);
  const readings = await listBalances(database);
  for (const { name: provider, account } of balanceAccounts) {
    if (!account.balance) continue;
    const reading = readings.find((one) => one.provider === provider);
    if (reading) metrics.set('provider_balance', { provider }, Number(reading.amount));
    const seconds = (reading?.readAt ?? startedAt).getTime() / 1_000;
    metrics.set('provider_balance_read_timestamp_seconds', { provider }, seconds);
    const minimum = minimums[provider];
    if (minimum !== undefined) metrics.set('provider_balance_minimum', { provider }, minimum);
  }
}

/** The client itself has no time limit. */
const LIMIT_MS = 10_000;

/** Daily, at the time of `temporal/schedules.ts`. */
const DAY_SECONDS = 86_400;

/**
 * Reads at an interval what metrics say of the database and of Temporal: a scrape asks neither, so that
 * scrapers cannot load them. A source that fails keeps its last values, and the time of its last
 * reading, or of the start, tells so. Nothing is read where no process serves metrics.
 */
export function stateMetrics(options: StateOptions): readonly Repetition[] {
  const { settings, logger, metrics, client } = options;
  if (settings.observation.metricsPort === undefined) return [];
  const startedAt = new Date();
  const source = (name: 'database' | 'temporal', read: () => Promise<void>) => {
    const note = () =>
      metrics.set('state_read_timestamp_seconds', { source: name }, Date.now() / 1_000);
    // An alert on an old time needs a time, also where no reading succeeds.
    note();
    return repeat({
      work: () => read().then(note),
      intervalMs: settings.observation.metricsReadSeconds * 1_000,
      logger,
      failure: `Could not read the metrics of the ${name}`,
    });
  };
  return [
    source('database', async () => {
      await showDatabase(options);
      await showBalances(options, startedAt);
    }),
    source('temporal', () =>
      client.withDeadline(Date.now() + LIMIT_MS, () => showTemporal(options)),
    ),
  ];
}

async function showDatabase(options: StateOptions): Promise<void> {
  const { database, metrics } = options;
  const bounds = Object.values(holdAges).filter(Number.isFinite);
  const state = await readServiceState(database, bounds);
  const { holds, waiting, lowWallets, undelivered } = state;
  for (const kind of holdKinds) {
    const ofKind = holds.filter((one) => one.kind === kind);
    for (const [age, limit] of Object.entries(holdAges) as [HoldAge, number][]) {
      const found = ofKind.find(({ ageLimit }) => (ageLimit ?? Number.POSITIVE_INFINITY) === limit);
      metrics.set('holds', { kind, age }, found?.count ?? 0);
      metrics.set('money_on_hold_birr', { kind, age }, found?.amount ?? 0);
    }
    const oldest = Math.max(0, ...ofKind.map(({ oldestSeconds }) => oldestSeconds));
    metrics.set('oldest_hold_seconds', { kind }, oldest);
  }
  for (const { outbox, count, oldestSeconds } of waiting) {
    metrics.set('outbox_waiting', { outbox }, count);
    metrics.set('outbox_oldest_seconds', { outbox }, oldestSeconds);
  }
  for (const wallet of ['gift', 'airtime'])
    metrics.set('wallets_below_threshold', { wallet }, lowWallets[wallet] ?? 0);
  metrics.set('repairs_to_confirm', {}, state.repairsToConfirm);
  metrics.set('suspense_birr', {}, state.suspense);
  for (const queue of emailQueues)
    metrics.set('emails_undelivered', { queue }, undelivered[queue] ?? 0);
  await showUnpaidAccounts(options);
  await showCases(options);
}

async function showTemporal(options: StateOptions): Promise<void> {
  const { temporalTaskQueue: taskQueue } = options.settings.temporal;
  const { expiryRunIntervalSeconds, reconcileIntervalSeconds } = options.settings.schedules;
  await showNeeded(options);
  await showSchedule(options, 'expiry', expireVouchersId(taskQueue), expiryRunIntervalSeconds);
  await showSchedule(options, 'reconciliation', reconcileId(taskQueue), reconcileIntervalSeconds);
  await showSchedule(options, 'books', checkBooksId(taskQueue), DAY_SECONDS);
  await showSchedule(options, 'archive', archiveLedgerId(taskQueue), DAY_SECONDS);
  await showSchedule(options, 'statements', compareStatementsId(taskQueue), DAY_SECONDS);
}

/**
 * The workflows that need a person: those that wait for one, and those that ended by calling one. Temporal
 * counts both: Prometheus does not see the first count of a new series as an increase, so that the counter
 * of ends would miss a first one.
 */
async function showNeeded({ client, metrics, settings }: StateOptions): Promise<void> {
  const { temporalTaskQueue: taskQueue } = settings.temporal;
  const since = new Date(Date.now() - DAY_SECONDS * 1_000).toISOString();
  const { groups } = await client.workflow.count(
    `NeedsAction = true AND TaskQueue = '${taskQueue}' AND (ExecutionStatus = 'Running'
      OR (ExecutionStatus = 'Failed' AND CloseTime > '${since}')) GROUP BY ExecutionStatus`,
  );
  for (const state of neededStates) {
    const found = groups.find(({ groupValues }) => String(groupValues[0]) === statusOf[state]);
    metrics.set('needs_action', { state }, found?.count ?? 0);
  }
}

const statusOf = { running: 'Running', failed: 'Failed' } as const;

/** Temporal forgets ended runs after their retention: the last one of a Schedule that was paused, or not served. */
function ifForgotten(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** The last run, and the result of the last ended run. */
async function showSchedule(
  { client, metrics }: StateOptions,
  schedule: ScheduleName,
  id: string,
  intervalSeconds: number,
): Promise<void> {
  metrics.set('schedule_interval_seconds', { schedule }, intervalSeconds);
  const { info } = await client.schedule.getHandle(id).describe();
  // A new Schedule has not run yet: it is as old as its definition.
  const begun = info.recentActions.at(-1)?.takenAt ?? info.createdAt;
  metrics.set('schedule_last_run_timestamp_seconds', { schedule }, begun.getTime() / 1_000);
  for (const { action } of info.recentActions.toReversed()) {
    // A run that has continued as new ends as the last one of its workflow does.
    const run = await client.workflow
      .getHandle(action.workflow.workflowId)
      .describe()
      .catch(ifForgotten);
    if (!run) continue;
    if (run.status.name === 'RUNNING') {
      // A reconciliation with much to do continues as new: Temporal tells of the newest of its runs.
      const continued = run.startTime.getTime() / 1_000;
      metrics.set('schedule_last_run_timestamp_seconds', { schedule }, continued);
      continue;
    }
    const isGood = run.status.name === 'COMPLETED';
    metrics.set('schedule_last_run_succeeded', { schedule }, isGood ? 1 : 0);
    return;
  }
}
