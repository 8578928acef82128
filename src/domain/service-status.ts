import { type RouteKind, routedProviders } from './providers.ts';

/** The parts of the service that the status page names, in its order. */
export const statusParts = {
  api: 'API and portal',
  codes: 'Codes by SMS',
  payments: 'Payments to merchants',
  'top-ups': 'Top-ups',
  webhooks: 'Webhooks',
} as const;
export type StatusPart = keyof typeof statusParts;

export type PartCondition = 'working' | 'delayed' | 'not working';

/** The state of a part; it works where nothing is seen that speaks against it. */
export interface PartStatus {
  readonly part: StatusPart;
  readonly condition: PartCondition;
  /** Null for a part that works. */
  readonly since: Date | null;
}

/** Servers and processes whose absence a process of the API notices. */
export type Outage = 'database' | 'temporal' | 'recovery' | 'workers';

/** The facts that decide how each part works. They name no company, no person and no amount. */
export interface StatusFacts {
  readonly now: Date;
  /** Since when each outage has been noticed. */
  readonly outages: Readonly<Partial<Record<Outage, Date>>>;
  /** The open payments, top-ups and reversals by kind and age: `statusAges` are the bounds. */
  readonly holds: readonly {
    readonly kind: string;
    readonly ageLimit: number | null;
    readonly count: number;
    readonly oldestSeconds: number;
  }[];
  /** The payments and top-ups that were done in the last hour. */
  readonly done: readonly { readonly kind: string; readonly count: number }[];
  /** The rows that wait for a worker. */
  readonly waiting: readonly {
    readonly outbox: string;
    readonly count: number;
    readonly oldestSeconds: number;
  }[];
  /** The providers as each worker sees them. */
  readonly providers: readonly {
    readonly provider: string;
    readonly takesCalls: boolean;
    readonly since: Date;
  }[];
}

const SOON = 120;
const LATE = 600;
/** Older payments are cases for people, and tell nothing of the present. */
const LATEST = 3_600;

/** The ages of open payments and top-ups that the table tells apart, in seconds. */
export const statusAges = [SOON, LATE, LATEST] as const;

/** Since when something is so; undefined where it is not so. */
type Since = (facts: StatusFacts) => Date | undefined;

const outage =
  (name: Outage): Since =>
  ({ outages }) =>
    outages[name];

/** No worker's circuit breaker lets a call through to any provider of a kind. */
const noProvider =
  (kind: RouteKind): Since =>
  ({ providers }) => {
    const names: readonly string[] = routedProviders[kind];
    const ofKind = providers.filter(({ provider }) => names.includes(provider));
    if (ofKind.length === 0 || ofKind.some(({ takesCalls }) => takesCalls)) return undefined;
    return latest(ofKind.map(({ since }) => since));
  };

/** The oldest row of these outboxes has waited for so long. */
const queued =
  (outboxes: readonly string[], seconds: number): Since =>
  ({ now, waiting }) =>
    before(
      now,
      waiting
        .filter(({ outbox, count }) => outboxes.includes(outbox) && count > 0)
        .map(({ oldestSeconds }) => oldestSeconds)
        .filter((age) => age >= seconds),
    );

/**
 * The rule for late operations: how many are open for how long, and their share of the operations of the last hour.
 */
interface Late {
  readonly count: number;
  readonly percent: number;
  readonly seconds: number;
}

const MANY_LATE: Late = { count: 10, percent: 10, seconds: LATE };
/** One silent order is a matter of its own provider, and not of the service. */
const SOME_LATE: Late = { count: 3, percent: 5, seconds: SOON };

/** So many operations of the last hour have been open for so long. */
const open =
  (kinds: readonly string[], least: Late): Since =>
  ({ now, holds, done }) => {
    const late = holds.filter(
      ({ kind, ageLimit }) =>
        kinds.includes(kind) && ageLimit !== null && ageLimit > least.seconds && ageLimit <= LATEST,
    );
    const count = late.reduce((sum, one) => sum + one.count, 0);
    const ended = done.filter(({ kind }) => kinds.includes(kind));
    const all = ended.reduce((sum, one) => sum + one.count, count);
    if (count < least.count || count * 100 < all * least.percent) return undefined;
    return before(
      now,
      late.map(({ oldestSeconds }) => oldestSeconds),
    );
  };

const latest = (dates: readonly Date[]): Date =>
  new Date(Math.max(...dates.map((date) => date.getTime())));

const before = (now: Date, ages: readonly number[]): Date | undefined =>
  ages.length === 0 ? undefined : new Date(now.getTime() - Math.max(...ages) * 1_000);

/** One row of the table: a part is in the worst condition that one of its rows gives it. */
interface StatusRule {
  readonly parts: readonly StatusPart[];
  readonly condition: Exclude<PartCondition, 'working'>;
  /** The cause, for the guide of operators. */
  readonly cause: string;
  readonly since: Since;
}

const EVERY = Object.keys(statusParts) as StatusPart[];
const OF_WORKERS = EVERY.filter((part) => part !== 'api');
const PAYMENTS = ['payment', 'reversal'];
const TOP_UPS = ['top-up'];
const EVENTS = ['events', 'webhooks'];

const stopped = (parts: readonly StatusPart[], cause: string, since: Since): StatusRule => ({
  parts,
  condition: 'not working',
  cause,
  since,
});
const delayed = (part: StatusPart, cause: string, since: Since): StatusRule => ({
  parts: [part],
  condition: 'delayed',
  cause,
  since,
});

/** The meaning of each word on the status page. */
export const statusRules: readonly StatusRule[] = [
  stopped(EVERY, 'The database does not answer', outage('database')),
  stopped(EVERY, 'Temporal does not answer', outage('temporal')),
  stopped(EVERY, 'A restored database is being recovered', outage('recovery')),
  stopped(OF_WORKERS, 'No worker runs', outage('workers')),
  stopped(['codes'], 'No SMS provider takes calls', noProvider('sms')),
  stopped(['codes'], 'A code has waited for 10 minutes', queued(['codes'], LATE)),
  delayed('codes', 'A code has waited for 2 minutes', queued(['codes'], SOON)),
  stopped(['payments'], 'No mobile money provider takes calls', noProvider('payout')),
  stopped(
    ['payments'],
    '10 payments or reversals of the last hour, and 10 %, have been open for 10 minutes',
    open(PAYMENTS, MANY_LATE),
  ),
  delayed(
    'payments',
    '3 payments or reversals of the last hour, and 5 %, have been open for 2 minutes',
    open(PAYMENTS, SOME_LATE),
  ),
  stopped(['top-ups'], 'No airtime provider takes calls', noProvider('topup-airtime')),
  stopped(
    ['top-ups'],
    '10 top-ups of the last hour, and 10 %, have been open for 10 minutes',
    open(TOP_UPS, MANY_LATE),
  ),
  delayed(
    'top-ups',
    '3 top-ups of the last hour, and 5 %, have been open for 2 minutes',
    open(TOP_UPS, SOME_LATE),
  ),
  stopped(['webhooks'], 'An event has waited for 10 minutes', queued(EVENTS, LATE)),
  delayed('webhooks', 'An event has waited for 2 minutes', queued(EVENTS, SOON)),
];

/** The state of each part, in the order of the page. */
export const statusOf = (facts: StatusFacts): PartStatus[] =>
  EVERY.map((part) => {
    for (const condition of ['not working', 'delayed'] as const) {
      const times = statusRules
        .filter((rule) => rule.condition === condition && rule.parts.includes(part))
        .map(({ since }) => since(facts)?.getTime())
        .filter((time) => time !== undefined);
      if (times.length > 0) return { part, condition, since: new Date(Math.min(...times)) };
    }
    return { part, condition: 'working', since: null };
  });
