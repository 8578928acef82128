import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { RefusalInquiry } from '../reconciliation/ended-payments.ts';
import {
  NEW_DOUBT,
  nextUnlessDue,
  PATIENCE,
  UNEXPLAINED,
  unlessDue,
} from '../reconciliation/refusal-inquiries.ts';

/** What a first provider did, or did not do, of an operation. */
export interface FirstAsked extends RefusalInquiry {
  readonly failoverId: number;
  /** Who was asked first. */
  readonly provider: string;
}

/** A provider that certainly did nothing, and is asked again whether that is so. */
export interface FailoverInquiry extends FirstAsked {
  /** When the next one was asked. */
  readonly askedAt: Date;
  /** When this inquiry was taken, as PostgreSQL writes it: a callback that comes meanwhile asks for another one. */
  readonly takenAt: string;
  /** It has said before that it did it, and which other content it has. */
  readonly isNoted: boolean;
  readonly difference: string | null;
}

/**
 * Takes the failovers that were due by then, the longest due first, up to a limit. They stay due behind all
 * others until an answer is recorded.
 */
export async function takeDueFailovers(
  database: Database,
  dueBy: string,
  limit: number,
): Promise<FailoverInquiry[]> {
  const { rows } = await sql<FailoverInquiry>`
    with due as (
      update provider_failovers set recheck_at = clock_timestamp() where id = any(array(
        select id from provider_failovers where recheck_at <= ${dueBy}::timestamptz
        order by recheck_at limit ${limit} for update skip locked))
      returning id, operation_id, from_provider, at, recheck_at, done_at, disagreement)
    select due.id as "failoverId", due.operation_id as "operationId", from_provider as provider,
      due.at as "askedAt", due.recheck_at::text as "takenAt", done_at is not null as "isNoted",
      due.disagreement as difference,
      case when redemptions.id is null then 'topup' else 'redemption' end as kind
    from due left join redemptions on redemptions.operation_id = due.operation_id`.execute(
    database,
  );
  return rows;
}

/**
 * What a first provider says: that it did nothing, that it does not know the operation, nothing, or that it has
 * another content under our reference.
 */
export type FirstAnswer = 'as-before' | 'never-seen' | 'unknown' | { readonly difference: string };

/**
 * Records it, and when the provider is asked again: once a day after it did nothing, and in growing pauses while it
 * says nothing, for three days since it was first asked in vain. That it does not know an operation which it has done
 * takes nothing back: its list may be shorter than our wait. What a callback asked for meanwhile stays due. News that it
 * does not explain for three days is a case, and it is asked once a day; true where that case is a new one.
 */
export async function postponeFailover(
  database: Database,
  { failoverId, takenAt }: Pick<FailoverInquiry, 'failoverId' | 'takenAt'>,
  answer: FirstAnswer,
): Promise<boolean> {
  const { next, noted } = typeof answer === 'string' ? after[answer] : afterDifference(answer);
  const doubt =
    answer === 'unknown'
      ? sql`doubted_since`
      : unlessDue(takenAt, sql`null::timestamptz`, sql`doubted_since`);
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (
      select ${opensCase} as is_new from provider_failovers where id = ${failoverId})
    update provider_failovers
    set recheck_at = ${nextUnlessDue(takenAt, next)}, doubted_since = ${doubt}, ${noted}
    where id = ${failoverId} and booked_at is null and settled_at is null
    returning (select is_new from before) as "isNew"`.execute(database);
  return answer === 'unknown' && (rows[0]?.isNew ?? false);
}

const day = sql`at + interval '24 hours'`;
const afterNothing = sql`case when now() < ${day} then ${day} end`;
const firstPause = sql`interval '10 minutes'`;
const pause = sql`now() + greatest(${firstPause}, least(now() - at, interval '1 day'))`;
const silence = sql`now() - coalesce(unanswered_since, now())`;
const patientPause = sql`now() + greatest(${firstPause}, least(${silence}, interval '1 day'))`;
const whilePatient = sql`case when ${silence} < ${PATIENCE} then ${patientPause} end`;

const answered = sql`unanswered_since = null`;
const notAnswered = sql`unanswered_since = coalesce(unanswered_since, now())`;
/** It did nothing, or nothing else than was ordered. */
export const nothingDone = sql`done_at = null, provider_reference = null`;
export const nothingDiffers = sql`
  disagreement = null, disagreed_at = null, disagreement_settled_at = null`;
const isOpen = sql`(disagreement is not null and disagreement_settled_at is null)`;
const isOpenDifference = sql`(${isOpen} and disagreement <> ${UNEXPLAINED})`;
/** News that it has not explained for too long, and nobody knows that it did it. */
const isUnexplained = sql`(done_at is null and coalesce(doubted_since < now() - ${PATIENCE}, false))`;
const opensCase = sql`(${isUnexplained} and not ${isOpen})`;
const opened = sql`
  disagreement = case when ${opensCase} then ${UNEXPLAINED} else disagreement end,
  disagreed_at = case when ${opensCase} then now() else disagreed_at end,
  disagreement_settled_at = case when ${opensCase} then null else disagreement_settled_at end`;
/** Whatever it answers explains it. */
const explained = sql`disagreement = nullif(disagreement, ${UNEXPLAINED})`;

const after = {
  'as-before': {
    next: afterNothing,
    noted: sql`${nothingDone}, ${nothingDiffers}, ${answered}`,
  },
  'never-seen': {
    next: sql`case when done_at is not null or ${isOpenDifference} then ${pause} else ${afterNothing} end`,
    noted: sql`${answered}, ${explained}`,
  },
  unknown: {
    next: sql`case when done_at is not null then ${patientPause} else coalesce(${whilePatient},
      case when doubted_since is not null then now() + interval '1 day' end) end`,
    noted: sql`${notAnswered}, ${opened}`,
  },
};

/** One that a person has cleared stays cleared, and is not asked about again, while the provider says the same. */
function afterDifference({ difference }: { readonly difference: string }) {
  const isSame = sql`disagreement is not distinct from ${difference}`;
  return {
    next: sql`case when ${isSame} and disagreement_settled_at is not null then null else ${whilePatient} end`,
    noted: sql`${nothingDone}, ${notAnswered}, disagreement = ${difference},
      disagreed_at = case when ${isSame} then disagreed_at else now() end,
      disagreement_settled_at = case when ${isSame} then disagreement_settled_at end`,
  };
}

/** What lets a provider be asked by the next reconciliation, and with patience from then on. */
export const DUE_NOW = sql`recheck_at = now(), unanswered_since = null`;

/**
 * Has the next reconciliation ask a provider that was asked before another one, because it called back.
 * False where the operation was never asked of it in vain.
 */
export async function requestFailoverInquiry(
  database: Database,
  operationId: string,
  provider: string,
): Promise<boolean> {
  const { rows } = await sql`
    with asked as (
      select id from provider_failovers
      where operation_id = ${operationId} and from_provider = ${provider}),
    due as (
      update provider_failovers set ${DUE_NOW}, ${NEW_DOUBT}
      where id in (select id from asked) and booked_at is null and settled_at is null)
    select from asked`.execute(database);
  return rows.length > 0;
}

/** Closes what a first provider has otherwise; it is not asked about again, unless it calls back. */
export async function settleDifference(
  database: Database,
  { failoverId }: Pick<FirstAsked, 'failoverId'>,
): Promise<void> {
  await sql`
    update provider_failovers
    set disagreement_settled_at = now(), recheck_at = null, unanswered_since = null, doubted_since = null
    where id = ${failoverId} and disagreement is not null`.execute(database);
}
