import {
  type Client,
  Connection,
  type ConnectionLike,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { SearchAttributeType } from '@temporalio/common';
import {
  encodeSearchAttributeIndexedValueType,
  type SearchAttributeKey,
} from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import {
  merchantId,
  needsAction,
  numberHash,
  operation,
  outcome,
  partnerId,
  reference,
  summary,
  transactionId,
  voucherSerial,
} from '../../../workflows/search-attributes.ts';
import {
  archiveLedgerId,
  checkBooksId,
  compareStatementsId,
  expireVouchersId,
  reconcileId,
  watchBalancesId,
} from '../../../workflows/workflow-ids.ts';
import type { Config } from '../../config/config.ts';
import { retryPassing } from '../process/background-tasks.ts';
import { grpcCodeOf, grpcCodes, isTemporalBusy, TemporalUnreachableError } from './connection.ts';
import type { TemporalServer } from './temporal-server.ts';

type ScheduleSettings = Pick<Config, 'temporal' | 'schedules' | 'market'>;

/** Past midnight in UTC and where the service is used. */
const NIGHT = { hour: 0, minute: 30 };

/** Once the whole check of the books has begun with what the last night left. */
const LATER_AT_NIGHT = { hour: 1, minute: 30 };

/** When providers have the statement of the day before, in the time zone of days. */
const AFTER_STATEMENTS = { hour: 4, minute: 30 };

/**
 * The Schedules of the expiry run, the reconciliation, the whole check of the books, the archive of old transfers, and
 * of statements and balances of providers.
 */
function schedulesOf({
  temporal: { temporalTaskQueue: taskQueue },
  schedules,
  market: { marketTimeZone },
}: ScheduleSettings): ScheduleOptions[] {
  const schedule = (
    idOf: (taskQueue: string) => string,
    workflowType: string,
    staticSummary: string,
    spec: ScheduleOptions['spec'],
  ): ScheduleOptions => ({
    scheduleId: idOf(taskQueue),
    spec,
    action: {
      type: 'startWorkflow',
      workflowId: idOf(taskQueue),
      workflowType,
      taskQueue,
      staticSummary,
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' },
  });
  const every = (seconds: number) => ({ intervals: [{ every: seconds * 1_000 }] });
  return [
    schedule(
      expireVouchersId,
      'expireVouchers',
      'Expires due vouchers and prunes old operations',
      every(schedules.expiryRunIntervalSeconds),
    ),
    schedule(
      reconcileId,
      'reconcile',
      'Checks money on hold, completed operations and what has changed in the books',
      every(schedules.reconcileIntervalSeconds),
    ),
    schedule(checkBooksId, 'checkBooks', 'Checks all books', { calendars: [NIGHT] }),
    schedule(archiveLedgerId, 'archiveLedger', 'Moves old transfers to files', {
      calendars: [LATER_AT_NIGHT],
    }),
    schedule(
      compareStatementsId,
      'compareStatements',
      'Compares the statements of providers with the books',
      { calendars: [AFTER_STATEMENTS], timezone: marketTimeZone },
    ),
    schedule(
      watchBalancesId,
      'watchBalances',
      'Reads our balances at the providers',
      every(schedules.providerBalanceIntervalSeconds),
    ),
  ];
}

/** One call; a workflow of Temporal's answers it, which may not have done its first step yet. */
const LIMIT_MS = 10_000;

/**
 * Creates the Schedules, or updates them to these settings. Safe to call from any number of workers
 * at once, which keep Temporal busy with that: each Schedule is tried again for a while.
 *
 * @throws once that time is up, and at once where Temporal refuses a Schedule
 */
export async function ensureSchedules(
  client: Client,
  settings: ScheduleSettings,
  patienceMs: number,
): Promise<void> {
  for (const schedule of schedulesOf(settings))
    await retryPassing(
      () => client.withDeadline(Date.now() + LIMIT_MS, () => ensureSchedule(client, schedule)),
      {
        // Temporal may be emptied between the refused creation and the update.
        isPassing: (error) => isTemporalBusy(error) || error instanceof ScheduleNotFoundError,
        patienceMs,
      },
    );
}

async function ensureSchedule(
  client: Client,
  { scheduleId, ...definition }: ScheduleOptions,
): Promise<void> {
  if (await created(client, { scheduleId, ...definition })) return;
  await client.schedule
    .getHandle(scheduleId)
    .update((schedule) => ({ ...schedule, ...definition }));
}

/** Creates missing Schedules and returns their ids. Existing ones do not change. */
export async function restoreSchedules(
  client: Client,
  settings: ScheduleSettings,
): Promise<string[]> {
  const missing: string[] = [];
  for (const schedule of schedulesOf(settings))
    if (await created(client, schedule)) missing.push(schedule.scheduleId);
  return missing;
}

/** Starts the Schedules that take up work without a workflow; a running Schedule goes on. */
export async function triggerResumptions(client: Client, taskQueue: string): Promise<void> {
  for (const idOf of [reconcileId, expireVouchersId])
    await client.schedule.getHandle(idOf(taskQueue)).trigger();
}

async function created(client: Client, schedule: ScheduleOptions): Promise<boolean> {
  try {
    await client.schedule.create(schedule);
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

const searchAttributes: readonly SearchAttributeKey<SearchAttributeType>[] = [
  needsAction,
  voucherSerial,
  transactionId,
  reference,
  outcome,
  operation,
  partnerId,
  merchantId,
  numberHash,
  summary,
];

const CONNECT_MS = 30_000;
/**
 * After its registration a namespace takes some seconds to become known to all parts of the server.
 */
const NAMESPACE_MS = 30_000;
/** Retention of completed histories in a newly registered namespace. */
const RETENTION_SECONDS = 30 * 86_400;

/** What a server answers that reserves this for its administrators. */
const NOT_OURS: readonly unknown[] = [grpcCodes.permissionDenied, grpcCodes.unimplemented];

/** The services that this module needs from the connection of a client or worker. */
type Services = Pick<ConnectionLike, 'workflowService'> & {
  readonly operatorService: Connection['operatorService'];
};

/** Prepares a namespace like `prepareNamespace`, and waits for a starting server. */
export async function prepareTemporal({ namespace, ...server }: TemporalServer): Promise<void> {
  const connection = await connectOnceUp(server);
  try {
    await prepareNamespace(connection, namespace);
  } finally {
    await connection.close();
  }
}

/**
 * Registers the namespace and its search attributes where they are missing; a workflow that sets an
 * unregistered attribute fails. A server that reserves this for its administrators, such as
 * Temporal Cloud, is not changed. Returns what it registered.
 */
export async function prepareNamespace(services: Services, namespace: string): Promise<string[]> {
  try {
    if (!(await hasNamespace(services, namespace))) {
      await registerNamespace(services, namespace);
      return [namespace, ...(await untilKnown(() => addSearchAttributes(services, namespace)))];
    }
    return await addSearchAttributes(services, namespace);
  } catch (error) {
    if (NOT_OURS.includes(grpcCodeOf(error))) return [];
    throw error;
  }
}

const isNotFound = (error: unknown): boolean => grpcCodeOf(error) === grpcCodes.notFound;

async function hasNamespace({ workflowService }: Services, namespace: string): Promise<boolean> {
  try {
    await workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function registerNamespace({ workflowService }: Services, namespace: string): Promise<void> {
  try {
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION_SECONDS * 1_000),
    });
  } catch (error) {
    if (grpcCodeOf(error) !== grpcCodes.alreadyExists) throw error;
  }
}

async function addSearchAttributes(
  { operatorService }: Services,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter(({ name }) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return [];
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? 0]),
    ),
  });
  return missing.map(({ name }) => name);
}

const untilKnown = <Result>(attempt: () => Promise<Result>): Promise<Result> =>
  retryPassing(attempt, { isPassing: isNotFound, patienceMs: NAMESPACE_MS });

const connectOnceUp = (server: Omit<TemporalServer, 'namespace'>): Promise<Connection> =>
  retryPassing(() => Connection.connect({ ...server, connectTimeout: '2s' }), {
    isPassing: () => true,
    patienceMs: CONNECT_MS,
  }).catch((error) => {
    throw new TemporalUnreachableError(server.address, error);
  });
