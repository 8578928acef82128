import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connection.js';
import { numberErasures } from './number-erasures.js';

/** Retention of temporary rows. */
export interface Retention {
  readonly operationDays: number;
  readonly eventDays: number;
  readonly signInSeconds: number;
  readonly sessionSeconds: number;
  /** Numbers of ended vouchers and top-ups are erased after this time; 0 keeps them. */
  readonly numberDays: number;
}

/** A caller that repeats an abandoned request later than this makes a new request. */
export const FORGET_LEFT_REQUESTS_HOURS = 24;

/** Wrong codes count for a day; the voucher's row holds the count over its life. */
const WRONG_CODE_DAYS = 2;

/** Operators can see for this time which companies reached a budget. */
const DAILY_COUNT_DAYS = 30;
/** Nobody asks about a payment any more by then, or asks M-Pesa anew. */
const MPESA_RESULT_DAYS = 30;
/** Counts of numbers serve the limits of the current day only. */
const NUMBER_COUNT_DAYS = 2;

/** The answer of a provider follows its report within seconds, or never. */
const EARLY_REPORT_DAYS = 1;

/** Longer than any comparison looks back. */
const STATEMENT_LINE_DAYS = 40;

/** A trigger of the database refuses to delete younger ones. */
const REFUSED_CALL_DAYS = 90;

/**
 * The expired rows of each table: their key, and their age by an index. Rows that another process
 * has locked wait for the next run.
 */
const prunings = {
  // A claim lives for minutes: one that is still open was orphaned by its workflow.
  operations: ({ operationDays }: Retention, batchSize: number) => sql`
    delete from operations where id = any(array(
      select id from operations
      where created_at < now() - make_interval(days => ${operationDays}::int)
        and (status <> 'RUNNING' or kind = 'initiate-claim')
      order by created_at limit ${batchSize} for update skip locked))`,

  'what signed requests were bound to': ({ operationDays }: Retention, batchSize: number) => sql`
    delete from signed_requests where ctid = any(array(
      select ctid from signed_requests
      where created_at < now() - make_interval(days => ${operationDays}::int)
      order by created_at limit ${batchSize} for update skip locked))`,

  'counts of sign-ins': ({ signInSeconds }: Retention, batchSize: number) => sql`
    delete from portal_sign_in_attempts where subject_digest = any(array(
      select subject_digest from portal_sign_in_attempts
      where window_began_at < now() - make_interval(secs => ${signInSeconds}::float8)
      order by window_began_at limit ${batchSize} for update skip locked))`,

  'sessions of the portal': ({ sessionSeconds }: Retention, batchSize: number) => sql`
    delete from portal_sessions where id = any(array(
      select id from portal_sessions
      where created_at < now() - make_interval(secs => ${sessionSeconds}::float8)
      order by created_at limit ${batchSize} for update skip locked))`,

  'sign-ins without a code': ({ sessionSeconds }: Retention, batchSize: number) => sql`
    delete from portal_half_sign_ins where token_digest = any(array(
      select token_digest from portal_half_sign_ins
      where created_at < now() - make_interval(secs => ${sessionSeconds}::float8)
      order by created_at limit ${batchSize} for update skip locked))`,

  'notices of changed access': ({ operationDays }: Retention, batchSize: number) => sql`
    delete from access_notices where audit_id = any(array(
      select audit_id from access_notices
      where created_at < now() - make_interval(days => ${operationDays}::int)
        and sent_at is not null
      order by created_at limit ${batchSize} for update skip locked))`,

  'e-mails with statements': ({ operationDays }: Retention, batchSize: number) => sql`
    delete from statement_emails where ctid = any(array(
      select ctid from statement_emails
      where created_at < now() - make_interval(days => ${operationDays}::int)
        and settled_at is not null
      order by created_at limit ${batchSize} for update skip locked))`,

  'e-mails with day reports': ({ operationDays }: Retention, batchSize: number) => sql`
    delete from report_emails where ctid = any(array(
      select ctid from report_emails
      where created_at < now() - make_interval(days => ${operationDays}::int)
        and settled_at is not null
      order by created_at limit ${batchSize} for update skip locked))`,

  "lines of providers' statements": (_retention: Retention, batchSize: number) => sql`
    delete from provider_statement_lines where ctid = any(array(
      select ctid from provider_statement_lines
      where created_at < now() - make_interval(days => ${STATEMENT_LINE_DAYS}::int)
      order by created_at limit ${batchSize} for update skip locked))`,

  'switches to another provider': ({ operationDays }: Retention, batchSize: number) => sql`
    delete from provider_failovers where id = any(array(
      select id from provider_failovers
      where at < now() - make_interval(days => ${operationDays}::int)
      order by at limit ${batchSize} for update skip locked))`,

  'left requests': (_retention: Retention, batchSize: number) => sql`
    delete from left_requests where ctid = any(array(
      select ctid from left_requests
      where left_at < now() - make_interval(hours => ${FORGET_LEFT_REQUESTS_HOURS}::int)
      order by left_at limit ${batchSize} for update skip locked))`,

  'wrong verification codes': (_retention: Retention, batchSize: number) => sql`
    delete from verification_attempts where id = any(array(
      select id from verification_attempts
      where created_at < now() - make_interval(days => ${WRONG_CODE_DAYS}::int)
      order by created_at limit ${batchSize} for update skip locked))`,

  'daily counts of companies': (_retention: Retention, batchSize: number) => sql`
    delete from company_daily_counts where ctid = any(array(
      select ctid from company_daily_counts
      where day < (now() at time zone 'UTC')::date - ${DAILY_COUNT_DAYS}::int
      order by day limit ${batchSize} for update skip locked))`,

  'daily spending': (_retention: Retention, batchSize: number) => sql`
    delete from daily_spending where ctid = any(array(
      select ctid from daily_spending
      where day < (now() at time zone 'UTC')::date - ${DAILY_COUNT_DAYS}::int
      order by day limit ${batchSize} for update skip locked))`,

  'results of M-Pesa': (_retention: Retention, batchSize: number) => sql`
    delete from mpesa_results where id = any(array(
      select id from mpesa_results
      where received_at < now() - make_interval(days => ${MPESA_RESULT_DAYS}::int)
      order by received_at limit ${batchSize} for update skip locked))`,

  'daily counts of numbers': (_retention: Retention, batchSize: number) => sql`
    delete from number_daily_counts where ctid = any(array(
      select ctid from number_daily_counts
      where day < (now() at time zone 'UTC')::date - ${NUMBER_COUNT_DAYS}::int
      order by day limit ${batchSize} for update skip locked))`,

  // In the order of their ids, which is nearly that of their times: no index has those.
  events: ({ eventDays }: Retention, batchSize: number) => sql`
    delete from events where id = any(array(
      select id from (
        select id, created_at, number from events order by id limit ${batchSize}) as oldest
      where created_at < now() - make_interval(days => ${eventDays}::int)
        and number is not null))`,

  'webhook deliveries': ({ eventDays }: Retention, batchSize: number) => sql`
    delete from webhook_deliveries where id = any(array(
      select id from webhook_deliveries
      where created_at < now() - make_interval(days => ${eventDays}::int)
      order by created_at limit ${batchSize} for update skip locked))`,

  // A worker may not change secrets, so it cannot lock them: to delete one twice does no harm.
  'webhook secrets': (_retention: Retention, batchSize: number) => sql`
    delete from webhook_secrets where id = any(array(
      select id from webhook_secrets where expires_at < now() limit ${batchSize}))`,

  'early delivery reports': (_retention: Retention, batchSize: number) => sql`
    delete from early_delivery_reports where ctid = any(array(
      select ctid from early_delivery_reports
      where received_at < now() - make_interval(days => ${EARLY_REPORT_DAYS}::int)
      order by received_at limit ${batchSize} for update skip locked))`,

  'refused calls': (_retention: Retention, batchSize: number) => sql`
    delete from refused_calls where id = any(array(
      select id from refused_calls
      where at < now() - make_interval(days => ${REFUSED_CALL_DAYS}::int)
      order by at limit ${batchSize} for update skip locked))`,
  ...numberErasures,
} satisfies Record<string, (retention: Retention, batchSize: number) => RawBuilder<unknown>>;

export type PrunedRows = keyof typeof prunings;

const prunedRows = Object.keys(prunings) as PrunedRows[];

/** Deletes up to `batchSize` expired rows of one kind; returns the number. */
export async function pruneBatch(
  database: Database,
  kind: PrunedRows,
  retention: Retention,
  batchSize: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await prunings[kind](retention, batchSize).execute(database);
  return Number(numAffectedRows);
}

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
    /** Told how many rows were deleted so far. */
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
