import { sql } from 'kysely';
import type { Database } from '../connection.js';
import type { RefusalInquiry } from '../reconciliation/ended-payments.js';

/** A provider that certainly did nothing, and is asked again whether that is so. */
export interface FailoverInquiry extends RefusalInquiry {
  readonly failoverId: number;
  /** Who was asked first. */
  readonly provider: string;
  /** When the next one was asked. */
  readonly askedAt: Date;
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
      returning id, operation_id, from_provider, at)
    select due.id as "failoverId", due.operation_id as "operationId", from_provider as provider,
      due.at as "askedAt",
      case when redemptions.id is null then 'topup' else 'redemption' end as kind
    from due left join redemptions on redemptions.operation_id = due.operation_id`.execute(
    database,
  );
  return rows;
}

/**
 * Records that the first provider says it did nothing, or says nothing, and when it is asked again: once a
 * day after it did nothing, and in growing pauses for three days while it says nothing. That it does not know an
 * operation which it has done takes nothing back: its list may be shorter than our wait.
 */
export async function postponeFailover(
  database: Database,
  { failoverId }: Pick<FailoverInquiry, 'failoverId'>,
  answer: 'as-before' | 'never-seen' | 'unknown',
): Promise<void> {
  const day = sql`at + interval '24 hours'`;
  const afterNothing = sql`case when now() < ${day} then ${day} end`;
  const pause = sql`now() + greatest(interval '10 minutes', least(now() - at, interval '1 day'))`;
  const next = {
    'as-before': sql`${afterNothing}, done_at = null, provider_reference = null`,
    'never-seen': sql`case when done_at is not null then ${pause} else ${afterNothing} end`,
    unknown: sql`case when done_at is not null or now() < at + interval '3 days' then ${pause} end`,
  }[answer];
  await sql`
    update provider_failovers set recheck_at = ${next}
    where id = ${failoverId} and booked_at is null and settled_at is null`.execute(database);
}

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
      update provider_failovers set recheck_at = now()
      where id in (select id from asked) and booked_at is null and settled_at is null)
    select from asked`.execute(database);
  return rows.length > 0;
}
