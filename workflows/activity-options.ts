import type { Duration } from '@temporalio/common';
import { type ActivityOptions, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { type ActivitiesOf, activityGroups } from './activity-groups.ts';
import { serializeActivities } from './steps/database-steps.ts';
import { STEP_REFUSED, untilNotRefused } from './steps/failures.ts';

/**
 * For steps where money, a code or a person waits. A refusal of the database fails the step. Its
 * workflow tries it again and calls a person.
 */
const tellsRefusals = { nonRetryableErrorTypes: [STEP_REFUSED] };

/**
 * Database steps: short and idempotent, so they run as local activities and are repeated while the
 * database is unavailable. Only infrastructure faults throw; refusals are values.
 */
const patient = proxyLocalActivities<ActivitiesOf<'patient'>>({
  startToCloseTimeout: '12s',
  localRetryThreshold: '1s',
  retry: {
    initialInterval: '100ms',
    backoffCoefficient: 2,
    maximumInterval: '10s',
    ...tellsRefusals,
  },
});

/**
 * Steps that must not retry for ever: after some seconds the workflow itself continues, with
 * growing pauses, and calls a person.
 */
const limited = proxyLocalActivities<ActivitiesOf<'limited'>>({
  startToCloseTimeout: '12s',
  localRetryThreshold: '1s',
  retry: {
    initialInterval: '100ms',
    backoffCoefficient: 2,
    maximumAttempts: 5,
    ...tellsRefusals,
  },
});

type DatabaseSteps = typeof patient & typeof limited;

const isLimited = (name: string | symbol): boolean =>
  Reflect.get(activityGroups, name) === 'limited';

/** All database steps by name, each tried once. */
const singleSteps = new Proxy({} as DatabaseSteps, {
  get: (_none, name) => Reflect.get(isLimited(name) ? limited : patient, name),
});

/** Repeats the steps without a limit when the database refuses them. */
const repeatRefused = (steps: DatabaseSteps): DatabaseSteps =>
  new Proxy(steps, {
    get: (_none, name) => {
      const step = Reflect.get(steps, name);
      if (isLimited(name)) return step;
      return (...parameters: unknown[]) => untilNotRefused(() => step(...parameters));
    },
  });

/** All database steps by name. */
export const database = repeatRefused(singleSteps);

/** The same for a workflow whose steps may overlap: one step at a time. */
export const databaseInTurn = (): DatabaseSteps => repeatRefused(serializeActivities(singleSteps));

/**
 * Calls to providers: normal activities, so that support staff see them. The timeout exceeds those
 * of the adapters. Repeating is safe: payments carry our reference, and a message is taken only
 * once.
 */
export const providers = proxyActivities<ActivitiesOf<'providers'>>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '5s',
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval: '30s',
    ...tellsRefusals,
  },
});

/**
 * What repairs do outside of the database: they speak to the workflow of the money. A step waits some
 * seconds for an outcome. After a few attempts the repair itself looks again, and calls a person.
 */
export const repairs = proxyActivities<ActivitiesOf<'repairs'>>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 5, ...tellsRefusals },
});

/** Questions about payout accounts: somebody waits, and can ask again. */
export const payoutAccounts = proxyActivities<ActivitiesOf<'payoutAccounts'>>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 5 },
});

/** Steps of a bulk order. An order waits as long as the database is unavailable. */
export const bulk = proxyActivities<ActivitiesOf<'bulk'>>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '15s',
  retry: {
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '30s',
    ...tellsRefusals,
  },
});

/** A step that reads much; no caller waits for it. */
const longStep = (startToCloseTimeout: Duration, maximumAttempts: number): ActivityOptions => ({
  startToCloseTimeout,
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts },
});

/**
 * Steps of a reconciliation; reading everything may take long. A failure of several minutes fails
 * the run (red), so that the next one can start.
 */
export const reconciliation = proxyActivities<ActivitiesOf<'reconciliation'>>(longStep('10m', 10));

/**
 * The check of the books. No other reconciliation starts meanwhile, so unreadable books must not
 * keep money on hold for long: the next run checks them again. A short outage of the database or a
 * stopped worker calls no person.
 */
export const books = proxyActivities<ActivitiesOf<'books'>>({
  ...longStep('5m', 8),
  scheduleToCloseTimeout: '10m',
});

/** Parts of the whole check of the books; adding up all transfers is one. No caller waits for it. */
export const wholeBooks = proxyActivities<ActivitiesOf<'wholeBooks'>>(longStep('2h', 20));

/** The archive of old transfers. A run of a first month may take hours; the next run does what this one leaves. */
export const ledgerArchive = proxyActivities<ActivitiesOf<'ledgerArchive'>>(longStep('12h', 8));

/**
 * Steps of an expiry run. A failure of several minutes fails the run (red), so that the later steps and
 * the next expiry run proceed.
 */
export const expirySteps = proxyActivities<ActivitiesOf<'expirySteps'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts: 8 },
});

/** Statements and balances of providers: a round reads all pages of some days. */
export const providerStatements = proxyActivities<ActivitiesOf<'providerStatements'>>(
  longStep('2h', 20),
);

/**
 * The state of a case; that of the books reads what has changed. A fault is transient, and no
 * caller waits.
 */
export const cases = proxyActivities<ActivitiesOf<'cases'>>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '5m', ...tellsRefusals },
});

/**
 * Calls to receivers of webhooks, on a task queue of their own. A call has a time limit in the activity.
 */
export const webhooksOn = (taskQueue: string) =>
  proxyActivities<ActivitiesOf<'webhooks'>>({
    taskQueue,
    startToCloseTimeout: '2m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '1m' },
  });
