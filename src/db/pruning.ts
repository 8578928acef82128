import { sql } from 'kysely';
import { changedRows, type Database, type Sql } from './connection.ts';
import type { Schema } from './generated/tables.ts';
import { numberErasures } from './phone-numbers.ts';

/** Retention of temporary rows. */
export interface Retention {
  readonly operationDays: number;
  readonly eventDays: number;
  readonly signInSeconds: number;
  readonly sessionSeconds: number;
  readonly messageRetentionDays: number;
  /** Numbers of ended vouchers and top-ups are erased after this time; 0 keeps them. */
  readonly numberRetentionDays: number;
}

/** A caller that repeats an abandoned request later than this makes a new request. */
export const FORGET_LEFT_REQUESTS_HOURS = 24;

/** Days that rows are kept, where no setting says it. Those of operations and events: `activities/expiry.ts`. */
export const keptDays = {
  /** Wrong codes count for a day; the voucher's row holds the count over its life. */
  wrongCodes: 2,
  /** Operators can see for this time which companies reached a budget. */
  dailyCounts: 30,
  /** By then no workflow asks about a payment any more, or it asks M-Pesa again. */
  mpesaResults: 30,
  /** Counts of numbers serve the limits of the current day only. */
  numberCounts: 2,
  /** The answer of a provider follows its report within seconds, or never. */
  earlyReports: 1,
  /** Longer than any comparison looks back. */
  statementLines: 40,
  /** A comparison reads the last two days. */
  balances: 30,
  /** A trigger of the database refuses to delete younger ones. */
  refusedCalls: 90,
} as const;

type Pruning = (retention: Retention, batchSize: number) => Sql;

/**
 * Deletes the oldest rows of a table; those that another process has locked wait for the next run.
 *
 * @param age the column that says since when they are there; an index has it
 * @param only SQL condition: the row may be deleted
 */
const older =
  (
    name: keyof Schema,
    age: string,
    than: (retention: Retention) => Sql,
    only = sql`true`,
  ): Pruning =>
  (retention, batchSize) => {
    const table = sql.table(name);
    const since = sql.ref(age);
    return sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table}
        where ${since} < ${than(retention)} and ${only}
        order by ${since} limit ${batchSize} for update skip locked))`;
  };

const daysAgo = (days: number) => sql`now() - make_interval(days => ${days}::int)`;
const secondsAgo = (seconds: number) => sql`now() - make_interval(secs => ${seconds}::float8)`;
const dayAgo = (days: number) => sql`(now() at time zone 'UTC')::date - ${days}::int`;

const asOperations = ({ operationDays }: Retention) => daysAgo(operationDays);
const asEvents = ({ eventDays }: Retention) => daysAgo(eventDays);
const asSessions = ({ sessionSeconds }: Retention) => secondsAgo(sessionSeconds);

/** The expired rows of each kind. */
const prunings = {
  operations: older(
    'operations',
    'created_at',
    asOperations,
    // A claim lasts minutes: its workflow abandoned a request for a claim that still runs after days. An open claim
    // keeps its key, for example while a payment has no outcome.
    sql`(status <> 'RUNNING' or kind = 'initiate-claim') and not exists (
      select from voucher_claims as claim
      where claim.operation_id = operations.id and claim.status = 'OPEN')`,
  ),
  'what signed requests were bound to': older('signed_requests', 'created_at', asOperations),
  'counts of sign-ins': older('portal_sign_in_attempts', 'window_began_at', ({ signInSeconds }) =>
    secondsAgo(signInSeconds),
  ),
  'sessions of the portal': older('portal_sessions', 'created_at', asSessions),
  'sign-ins without a second factor': older('portal_half_sign_ins', 'created_at', asSessions),
  'challenges for passkeys': older('portal_passkey_challenges', 'created_at', asSessions),
  // Those of invitations stay, as invitations do.
  'messages to people': older(
    'outbox',
    'created_at',
    asOperations,
    sql`settled_at is not null and kind <> 'invitations'`,
  ),
  "lines of providers' statements": older('provider_statement_lines', 'created_at', () =>
    daysAgo(keptDays.statementLines),
  ),
  'messages to another provider': older('message_failovers', 'at', asOperations),
  'readings of balances': older('provider_balances', 'read_at', () => daysAgo(keptDays.balances)),
  'left requests': older(
    'left_requests',
    'left_at',
    () => sql`now() - make_interval(hours => ${FORGET_LEFT_REQUESTS_HOURS}::int)`,
  ),
  'wrong verification codes': older('verification_attempts', 'created_at', () =>
    daysAgo(keptDays.wrongCodes),
  ),
  'daily counts of companies': older('company_daily_counts', 'day', () =>
    dayAgo(keptDays.dailyCounts),
  ),
  'daily spending': older('daily_spending', 'day', () => dayAgo(keptDays.dailyCounts)),
  'daily counts of numbers': older('number_daily_counts', 'day', () =>
    dayAgo(keptDays.numberCounts),
  ),
  'results of M-Pesa': older('mpesa_results', 'received_at', () => daysAgo(keptDays.mpesaResults)),
  'early delivery reports': older('early_delivery_reports', 'received_at', () =>
    daysAgo(keptDays.earlyReports),
  ),
  'webhook deliveries': older('webhook_deliveries', 'created_at', asEvents),
  'refused calls': older('refused_calls', 'at', () => daysAgo(keptDays.refusedCalls)),

  // In the order of their ids, which is nearly that of their times: no index has those. The event with the
  // newest number stays, so that a cursor before it is known to be outdated.
  events: ({ eventDays }, batchSize) => sql`
    delete from events where id = any(array(
      select id from (
        select id, created_at, number from events order by id limit ${batchSize}) as oldest
      where created_at < now() - make_interval(days => ${eventDays}::int)
        and number < (select max(number) from events)))`,

  // In the order of their ids, too. A message that another provider was asked for waits for its failovers.
  'sent messages': ({ messageRetentionDays }, batchSize) => sql`
    with due as materialized (
      select id from (
        select id, created_at, settled_at from messages order by id limit ${batchSize}) as oldest
      where created_at < ${daysAgo(messageRetentionDays)} and settled_at is not null
        and (select count(*) from message_failovers where message_id = oldest.id) = 0
    ), resends as (
      delete from message_resends where message_id = any(array(select id from due))
        or original_id = any(array(select id from due))
    )
    delete from messages where id = any(array(select id from due))`,

  // A worker may not change secrets, so it cannot lock them: to delete one twice does no harm.
  'webhook secrets': (_retention, batchSize) => sql`
    delete from webhook_secrets where id = any(array(
      select id from webhook_secrets where expires_at < now() limit ${batchSize}))`,
  ...numberErasures,
} satisfies Record<string, Pruning>;

export type PrunedRows = keyof typeof prunings;

const prunedRows = Object.keys(prunings) as PrunedRows[];

/** Deletes up to `batchSize` expired rows of one kind; returns the number. */
export const pruneBatch = (
  database: Database,
  kind: PrunedRows,
  retention: Retention,
  batchSize: number,
) => changedRows(database)`${prunings[kind](retention, batchSize)}`;

/**
 * Deletes a batch of each kind in turns, so that one with many expired rows keeps none of the others
 * waiting, until none is left or the time is up. A failure for one kind does not prevent the others.
 *
 * @throws the first failure, when the other kinds are done
 */
export async function pruneInTurns(
  database: Database,
  retention: Retention,
  options: {
    readonly batchSize: number;
    /** In milliseconds since 1970. */
    readonly endsAt: number;
    /** Called with the number of rows that were deleted so far. */
    readonly note: (count: number) => void;
  },
): Promise<{ count: number; isDone: boolean }> {
  const { batchSize, endsAt, note } = options;
  const failures: unknown[] = [];
  const left = new Set(prunedRows);
  let count = 0;
  while (left.size > 0 && Date.now() <= endsAt)
    for (const kind of left) {
      const pruned = await pruneBatch(database, kind, retention, batchSize).catch((error) => {
        failures.push(error);
        return 0;
      });
      count += pruned;
      note(count);
      if (pruned < batchSize) left.delete(kind);
    }
  if (failures.length > 0) throw failures[0];
  return { count, isDone: left.size === 0 };
}
