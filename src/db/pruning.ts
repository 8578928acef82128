import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connection.js';

/** Retention of temporary rows. */
export interface Retention {
  readonly operationDays: number;
  readonly signInSeconds: number;
  readonly sessionSeconds: number;
}

/** A caller that repeats an abandoned request later than this makes a new request. */
export const FORGET_LEFT_REQUESTS_HOURS = 24;

/** Wrong codes count for a day; the voucher's row holds the count over its life. */
const WRONG_CODE_DAYS = 2;

/** Operators can see for this time which companies reached a budget. */
const DAILY_COUNT_DAYS = 30;

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

  'refused calls': (_retention: Retention, batchSize: number) => sql`
    delete from refused_calls where id = any(array(
      select id from refused_calls
      where at < now() - make_interval(days => ${REFUSED_CALL_DAYS}::int)
      order by at limit ${batchSize} for update skip locked))`,
} satisfies Record<string, (retention: Retention, batchSize: number) => RawBuilder<unknown>>;

export type PrunedRows = keyof typeof prunings;

export const prunedRows = Object.keys(prunings) as PrunedRows[];

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
