import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { type LimitedStep, limitedSteps, type PatientStep } from './steps/database-steps.js';

/**
 * Steps in the database: short and idempotent, so they run inside the workflow task and are simply
 * repeated while the database is away. Only infrastructure faults throw; refusals are values.
 */
const patient = proxyLocalActivities<Pick<Activities, PatientStep>>({
  startToCloseTimeout: '12s',
  localRetryThreshold: '1s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/**
 * What must not try for ever inside one step: the workflow itself goes on, with pauses that grow, and
 * calls a person. Tried for seconds.
 */
const limited = proxyLocalActivities<Pick<Activities, LimitedStep>>({
  startToCloseTimeout: '12s',
  localRetryThreshold: '1s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumAttempts: 5 },
});

const limitedNames: readonly (string | symbol)[] = limitedSteps;

/** All steps in the database, by their names. */
export const database = new Proxy({} as typeof patient & typeof limited, {
  get: (_none, name) => Reflect.get(limitedNames.includes(name) ? limited : patient, name),
});

/**
 * Calls to providers: normal activities, so that support staff see them. The time limit is above the
 * adapters' own. Repeating is safe: payments carry our reference, messages are taken only once.
 */
export const providers = proxyActivities<
  Pick<
    Activities,
    | 'sendMessage'
    | 'sendInvitation'
    | 'payMerchant'
    | 'inquirePayment'
    | 'sendTopUp'
    | 'inquireTopUp'
  >
>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/**
 * Steps of a reconciliation; looking through everything may take long. What fails for minutes turns
 * the run red instead of keeping the next ones from starting.
 */
export const reconciliation = proxyActivities<
  Pick<
    Activities,
    | 'resumeRedemptions'
    | 'resumeTopUps'
    | 'listRechecks'
    | 'recheckRefused'
    | 'recheckDue'
    | 'openCases'
  >
>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts: 10 },
});

/**
 * The check of the books. While it lasts no other reconciliation starts, so books that cannot be read
 * must not keep money on hold for long: the next run checks them again. A database that is away for a
 * moment, or a worker that stopped, calls nobody.
 */
export const books = proxyActivities<Pick<Activities, 'checkInvariants'>>({
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '10m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts: 8 },
});

/**
 * Steps of a sweep. What fails for minutes turns the run red instead of keeping the steps behind it,
 * and the next sweep, from being done.
 */
export const sweeps = proxyActivities<
  Pick<
    Activities,
    | 'sweepClaims'
    | 'sweepVouchers'
    | 'sweepTopUps'
    | 'sweepMessages'
    | 'resumeMessages'
    | 'openDueVoucherCases'
    | 'pruneRows'
    | 'expireLeftClaims'
    | 'expireDueVouchers'
    | 'failTopUpsNeverStarted'
    | 'pruneOldOperations'
  >
>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts: 8 },
});

/** How a case stands: that of the books reads everything. A fault passes, and nobody waits. */
export const cases = proxyActivities<Pick<Activities, 'readCase'>>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '5m' },
});
