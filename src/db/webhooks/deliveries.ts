import { type SqlBool, sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { CompanyKind } from '../schema/all-tables.ts';

/** The webhook that a workflow delivers to. */
export interface DeliveryTarget {
  readonly id: number;
  readonly companyKind: CompanyKind;
  readonly companyId: number;
  readonly url: string;
  /** In the order of their making; more than one while a rotation overlaps. */
  readonly ciphertexts: readonly string[];
  /** The demand that the workflow answers, as text; see settleWake. */
  readonly wakeAt: string | null;
}

/** An active webhook with its secrets; undefined where it is paused, switched off or removed. */
export async function readDeliveryTarget(
  database: Database,
  endpointId: number,
): Promise<DeliveryTarget | undefined> {
  const { rows } = await sql<DeliveryTarget>`
    select id, company_kind as "companyKind", company_id as "companyId", url,
      wake_at::text as "wakeAt",
      array(select ciphertext from webhook_secrets
        where endpoint_id = webhook_endpoints.id and (expires_at is null or expires_at > now())
        order by id desc) as ciphertexts
    from webhook_endpoints where id = ${endpointId} and status = 'ACTIVE'`.execute(database);
  return rows[0];
}

/** A delivery that is due, with its event. */
export interface DueDelivery {
  readonly id: number;
  readonly createdAt: Date;
  readonly type: string;
  readonly subject: string;
  readonly attempts: number;
  /** Null: a test event. */
  readonly eventNumber: number | null;
  readonly eventCreatedAt: Date | null;
  /** Null for a test event, and for one that is no longer kept. */
  readonly data: unknown;
}

/** No earlier delivery of the subject to the endpoint waits. */
const isFirstOfSubject = sql<SqlBool>`not exists (
  select from webhook_deliveries as earlier
  where earlier.endpoint_id = delivery.endpoint_id and earlier.subject = delivery.subject
    and earlier.status = 'PENDING' and earlier.id < delivery.id)`;

/**
 * The deliveries that are due, at most one for each subject, so that its events arrive in their order.
 */
export async function listDueDeliveries(
  database: Database,
  endpointId: number,
  limit: number,
): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select delivery.id, delivery.created_at as "createdAt", delivery.type, delivery.subject,
      delivery.attempts, delivery.event_number as "eventNumber",
      events.created_at as "eventCreatedAt", events.data
    from webhook_deliveries as delivery left join events on events.number = delivery.event_number
    where delivery.endpoint_id = ${endpointId} and delivery.status = 'PENDING'
      and delivery.next_attempt_at <= now() and ${isFirstOfSubject}
    order by delivery.next_attempt_at, delivery.id limit ${limit}`.execute(database);
  return rows;
}

/** The outcome of an attempt. */
export interface AttemptRecord {
  readonly isDelivered: boolean;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly excerpt: string | null;
  readonly problem: string | null;
  /** The pause before the next attempt; null: there is none. */
  readonly pauseSeconds: number | null;
}

/**
 * Records an attempt. After a failure the later deliveries of the subject wait as long as this one,
 * and the endpoint is failing; a success ends that. Test events say nothing about the endpoint.
 */
export async function recordAttempt(
  database: Database,
  endpointId: number,
  delivery: Pick<DueDelivery, 'id' | 'attempts' | 'eventNumber'>,
  attempt: AttemptRecord,
): Promise<void> {
  const { pauseSeconds } = attempt;
  await sql`
    with recorded as (
      update webhook_deliveries set attempts = attempts + 1,
        status = case when ${attempt.isDelivered}::boolean then 'DELIVERED'
          when ${pauseSeconds === null}::boolean or retry_until <= now() then 'FAILED' else 'PENDING' end,
        next_attempt_at = now() + make_interval(secs => ${pauseSeconds ?? 0}::float8),
        last_attempt_at = now(), last_status_code = ${attempt.status}::int,
        last_milliseconds = ${attempt.milliseconds}::int, last_answer = ${attempt.excerpt}::text,
        last_problem = ${attempt.problem}::text
      where id = ${delivery.id} and status = 'PENDING' and attempts = ${delivery.attempts}
      returning id, subject, status, next_attempt_at, event_number
    ), later as (
      update webhook_deliveries as other set next_attempt_at = recorded.next_attempt_at
      from recorded where recorded.status = 'PENDING' and other.endpoint_id = ${endpointId}
        and other.subject = recorded.subject and other.status = 'PENDING' and other.id > recorded.id
    )
    update webhook_endpoints set failing_since =
      case when ${attempt.isDelivered}::boolean then null else coalesce(failing_since, now()) end
    from recorded where webhook_endpoints.id = ${endpointId}
      and recorded.event_number is not null
      and (failing_since is null) <> ${attempt.isDelivered}::boolean`.execute(database);
}

/**
 * Puts the endpoint's wake-up off until the grace after its next delivery, or ends it where none waits.
 * A demand that came since the target was read stays: its workflow is signalled. A webhook that was
 * resumed just after the dispatch of its events has missed that, so it stays due until it has them.
 *
 * Returns the time until the next delivery is due; null where none waits.
 */
export async function settleWake(
  database: Database,
  { id, wakeAt }: Pick<DeliveryTarget, 'id' | 'wakeAt'>,
  graceSeconds: number,
): Promise<number | null> {
  const { rows } = await sql<{ remainingMs: number | null }>`
    with next as (
      select (select next_attempt_at from webhook_deliveries as delivery
        where endpoint_id = ${id} and status = 'PENDING' and ${isFirstOfSubject}
        order by next_attempt_at limit 1) as at
    ), put_off as (
      update webhook_endpoints as endpoint
      set wake_at = case when exists (
          select from events where company_kind = endpoint.company_kind
            and company_id = endpoint.company_id and number > endpoint.cursor)
        then clock_timestamp() else next.at + make_interval(secs => ${graceSeconds}::float8) end
      from next where id = ${id} and status = 'ACTIVE' and wake_at is not distinct from ${wakeAt}::timestamptz
    )
    select ceil(extract(epoch from at - now()) * 1000)::float8 as "remainingMs" from next
  `.execute(database);
  return rows[0]?.remainingMs ?? null;
}

/**
 * Switches off an active endpoint that has failed for too long without a success. Returns whether it
 * was switched off now.
 */
export async function switchOffFailing(
  database: Database,
  endpointId: number,
  afterSeconds: number,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_endpoints set status = 'SWITCHED_OFF', status_since = now(), wake_at = null,
      status_reason = 'Every attempt has failed since '
        || to_char(failing_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC.'
    where id = ${endpointId} and status = 'ACTIVE'
      and failing_since < now() - make_interval(secs => ${afterSeconds}::float8)
  `.execute(database);
  return numAffectedRows > 0n;
}
