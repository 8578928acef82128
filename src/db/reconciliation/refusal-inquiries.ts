import { type RawBuilder, sql } from 'kysely';
import {
  LATE_SUCCESS_SETTLEMENT,
  REVERSAL_SETTLEMENT,
} from '../../domain/statements/statement-labels.ts';
import type { Database } from '../connection.ts';
import { type EndedPayment, type RefusalInquiry, tableOf } from './ended-payments.ts';

/** The first inquiry about a voided hold; the last one follows later. */
export const firstInquiry = sql<Date>`now() + interval '10 minutes'`;
const SECOND_RECHECK = sql`interval '24 hours'`;
/** Retry interval while the provider does not answer. */
const PAUSE = sql`interval '10 minutes'`;
/** How long an answer is waited for: then a person is asked, or nobody. */
export const PATIENCE = sql`interval '3 days'`;
/** Retry interval while a person is asked, too. */
const DAY = sql`interval '1 day'`;
/** Retry interval for successful operations, which are far more numerous. */
const WATCH_PAUSE = sql`interval '1 hour'`;

const intervalOf = (seconds: number) => sql`make_interval(secs => ${seconds}::float8)`;

/** Time of the first inquiry about a reversal; null: never. */
export const firstWatch = (watchSeconds: number) =>
  watchSeconds === 0
    ? null
    : sql<Date>`now() + least(interval '10 minutes', ${intervalOf(watchSeconds)})`;

/** A moment of the database's clock, as PostgreSQL writes it. */
export async function databaseMoment(database: Database): Promise<string> {
  const { rows } = await sql<{ moment: string }>`
    select clock_timestamp()::text as moment`.execute(database);
  const [row] = rows;
  if (!row) throw new Error('The database has no clock');
  return row.moment;
}

/** An inquiry with when it was taken, as PostgreSQL writes it. */
export interface TakenInquiry extends RefusalInquiry {
  readonly takenAt: string;
}

/**
 * SQL expression: when it is asked next, after an inquiry that was taken then. A callback that came meanwhile asks for
 * another one, which stays due.
 */
export const nextUnlessDue = (takenAt: string, next: RawBuilder<unknown>) =>
  unlessDue(takenAt, next, sql`recheck_at`);

export const unlessDue = (
  takenAt: string,
  value: RawBuilder<unknown>,
  otherwise: RawBuilder<unknown>,
) => sql`case when recheck_at = ${takenAt}::timestamptz then ${value} else ${otherwise} end`;

/**
 * Takes what was due by then, the longest due first and up to `limit` of each kind. The taken
 * rows stay due, behind all others: a row that cannot be asked about or booked does not block the
 * others, and a later run asks again after a crash.
 */
export async function takeDueInquiries(
  database: Database,
  dueBy: string,
  limit: number,
): Promise<TakenInquiry[]> {
  const due = (table: string) => sql`
    update ${sql.table(table)} set recheck_at = clock_timestamp() where operation_id = any(array(
      select operation_id from ${sql.table(table)} where recheck_at <= ${dueBy}::timestamptz
      order by recheck_at limit ${limit} for update skip locked))
    returning operation_id, recheck_at::text as taken_at`;
  const { rows } = await sql<TakenInquiry>`
    with due_redemptions as (${due('redemptions')}), due_topups as (${due('topup_attempts')})
    select 'redemption' as kind, operation_id as "operationId", taken_at as "takenAt"
    from due_redemptions
    union all select 'topup', operation_id, taken_at from due_topups`.execute(database);
  return rows;
}

/** SQL condition: a person has just said what becomes of what is booked, and its provider is to say the same. */
const wasSettledLately = ({ operationId }: RefusalInquiry) => sql`exists (
  select from ledger_transfers
  where operation_id = ${operationId} and created_at > now() - ${PATIENCE}
    and step in (${LATE_SUCCESS_SETTLEMENT}, ${REVERSAL_SETTLEMENT}))`;

/** A doubt that its provider leaves unanswered: what a person reads. Rows are recognised by it. */
export const UNEXPLAINED =
  'There was late news of it, such as a callback, and the provider has not said since what it did. ' +
  'It is asked once a day, and its answer ends this case.';

/**
 * Records an unchanged or missing answer of the provider, and schedules the next inquiry.
 * Successful operations are asked about a few times within the watch period, and so are those whose change is booked.
 * One that there is reason to doubt is asked about with patience, and then it is a case until the provider answers or a
 * person has settled it. True where that case is a new one.
 */
export async function postponeInquiry(
  database: Database,
  ended: Pick<EndedPayment, keyof RefusalInquiry | 'status' | 'is_booked'>,
  answer: 'as-before' | 'unknown',
  { watchSeconds, takenAt }: { readonly watchSeconds: number; readonly takenAt: string },
): Promise<boolean> {
  const watch = intervalOf(watchSeconds);
  const nextWatch = sql`(
    select min(settled_at + age) from unnest(array[${SECOND_RECHECK}, ${watch}]) as age
    where age <= ${watch} and settled_at + age > now())`;
  const { patience, pause, asBefore } = {
    VOIDED: {
      patience: sql`now() < greatest(settled_at, doubted_since) + ${PATIENCE}`,
      pause: sql`now() + ${PAUSE}`,
      asBefore: sql`
        case when now() < settled_at + ${SECOND_RECHECK} then settled_at + ${SECOND_RECHECK} end`,
    },
    POSTED: {
      patience: sql`(${nextWatch} is not null or now() < doubted_since + ${PATIENCE}
        or ${wasSettledLately(ended)})`,
      pause: sql`least(${nextWatch}, now() + ${WATCH_PAUSE})`,
      asBefore: nextWatch,
    },
  }[ended.is_booked ? 'POSTED' : ended.status];
  const isUnexplained = sql`doubted_since is not null and not ${patience}`;
  // What is booked can only come to agree by its provider's word.
  const isAwaited = ended.is_booked
    ? sql`(doubted_since is not null or disagreement is not null)`
    : sql`doubted_since is not null`;
  const next =
    answer === 'as-before'
      ? asBefore
      : sql`case when ${patience} then ${pause} when ${isAwaited} then now() + ${DAY} end`;
  const noted =
    answer === 'as-before'
      ? sql`disagreement = null,
          doubted_since = ${unlessDue(takenAt, sql`null::timestamptz`, sql`doubted_since`)}`
      : sql`disagreement = case when ${isUnexplained} then coalesce(disagreement, ${UNEXPLAINED})
          else disagreement end`;
  const isUnchanged = ended.is_booked
    ? sql`true`
    : sql`contradicted_at is null and reversed_at is null`;
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (
      select disagreement from ${tableOf(ended)} where operation_id = ${ended.operationId})
    update ${tableOf(ended)} set recheck_at = ${nextUnlessDue(takenAt, next)}, ${noted}
    where operation_id = ${ended.operationId} and ${isUnchanged}
    returning disagreement is not null and (select disagreement from before) is null as "isNew"
  `.execute(database);
  return rows[0]?.isNew ?? false;
}

/** There is reason to doubt how it ended, from now on or since before. */
export const NEW_DOUBT = sql`doubted_since = coalesce(doubted_since, now())`;

/**
 * Schedules an inquiry about a completed payment or attempt at the next reconciliation, because of a callback, also
 * where a change of it is booked; about a successful one only within its watch period.
 */
export async function requestInquiry(
  database: Database,
  inquiry: RefusalInquiry,
  watchSeconds: number,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set recheck_at = now(), ${NEW_DOUBT}
    where operation_id = ${inquiry.operationId} and (status = 'VOIDED'
        or status = 'POSTED' and settled_at > now() - ${intervalOf(watchSeconds)})
  `.execute(database);
}

/** Records the provider's deviating content, which raises a case. */
export async function noteDisagreement(
  database: Database,
  inquiry: RefusalInquiry,
  words: string,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set disagreement = ${words}
    where operation_id = ${inquiry.operationId}`.execute(database);
}
