import { type Selectable, type SqlBool, sql } from 'kysely';
import { TEST_EVENT_TYPE } from '../../domain/events.ts';
import type { Company, CompanyKind } from '../../domain/vouchers/voucher.ts';
import {
  addRow,
  allRows,
  allValues,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  getsLock,
  hasRows,
  now,
  onlyRow,
  type Sql,
} from '../connection.ts';
import type { WebhookDeliveriesTable } from '../generated/tables.ts';
import { queueMessages } from '../outbox.ts';

/** The webhook that a workflow delivers to. */
export interface DeliveryTarget {
  readonly id: number;
  readonly companyKind: CompanyKind;
  readonly companyId: number;
  readonly url: string;
  /** The newest first; more than one while a rotation overlaps. */
  readonly ciphertexts: readonly string[];
  /** The demand that the workflow answers, as text; see settleWake. */
  readonly wakeAt: string | null;
}

/** An active webhook with its secrets; undefined where it is paused, switched off or removed. */
export const readDeliveryTarget = (database: Database, endpointId: number) =>
  firstRow<DeliveryTarget>(database)`
    select id, company_kind as "companyKind", company_id as "companyId", url,
      wake_at::text as "wakeAt",
      array(select ciphertext from webhook_secrets
        where endpoint_id = webhook_endpoints.id and (expires_at is null or expires_at > now())
        order by id desc) as ciphertexts
    from webhook_endpoints where id = ${endpointId} and status = 'ACTIVE'`;

/** A delivery that is due, with its event. */
export type DueDelivery = Awaited<ReturnType<typeof listDueDeliveries>>[number];

/** No earlier delivery of the subject to the endpoint waits. */
const isFirstOfSubject = sql<SqlBool>`not exists (
  select from webhook_deliveries as earlier
  where earlier.endpoint_id = delivery.endpoint_id and earlier.subject = delivery.subject
    and earlier.status = 'PENDING' and earlier.id < delivery.id)`;

/**
 * The deliveries that are due, at most one for each subject, so that its events arrive in their order.
 */
export const listDueDeliveries = (database: Database, endpointId: number, limit: number) =>
  database
    .selectFrom('webhook_deliveries as delivery')
    .leftJoin('events', 'events.number', 'delivery.event_number')
    .select(['delivery.id', 'delivery.created_at as createdAt', 'delivery.type'])
    .select(['delivery.subject', 'delivery.attempts'])
    // Null: a test event.
    .select(['delivery.event_number as eventNumber', 'events.created_at as eventCreatedAt'])
    // Null also for an event that is no longer kept.
    .select('events.data')
    .where('delivery.endpoint_id', '=', endpointId)
    .where('delivery.status', '=', 'PENDING')
    .where('delivery.next_attempt_at', '<=', now)
    .where(isFirstOfSubject)
    .orderBy('delivery.next_attempt_at')
    .orderBy('delivery.id')
    .limit(limit)
    .execute();

/** More than one workflow has under way, so that one of them is the last attempt. */
const LOOKED_BEFORE = 50;

/**
 * SQL query: the active webhooks with something to deliver, and the time since which no worker does it. An event is no
 * delivery yet, or the next delivery is due, and no attempt has been made since. The time of the next wake-up does not
 * tell, because workers renew it. The company of a failing webhook is told.
 */
export const unattendedWebhooks = sql`
  select greatest(endpoint.status_since, waiting.at) as since
  from webhook_endpoints as endpoint cross join lateral (
    (select created_at as at from events
      where company_kind = endpoint.company_kind and company_id = endpoint.company_id
        and number > endpoint.cursor order by number limit 1)
    union all
    (select greatest(next_attempt_at, (
        select max(last_attempt_at) from (
          select last_attempt_at from webhook_deliveries as before
          where before.endpoint_id = endpoint.id and before.id < delivery.id
          order by before.id desc limit ${sql.lit(LOOKED_BEFORE)}) as attempts))
      from webhook_deliveries as delivery
      where delivery.endpoint_id = endpoint.id and delivery.status = 'PENDING'
        and next_attempt_at <= now() and ${isFirstOfSubject}
      order by next_attempt_at, id limit 1)
    order by at limit 1) as waiting
  where endpoint.status = 'ACTIVE' and failing_since is null`;

/** The outcome of an attempt. */
interface AttemptRecord {
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
 * and the endpoint is failing. A success ends that, also the success of a test event. A failure without a pause
 * says nothing about the endpoint: that of a test event, or of an event that is no longer kept.
 */
export async function recordAttempt(
  database: Database,
  endpointId: number,
  delivery: Pick<DueDelivery, 'id' | 'attempts'>,
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
      returning id, subject, status, next_attempt_at
    ), later as (
      update webhook_deliveries as other set next_attempt_at = recorded.next_attempt_at
      from recorded where recorded.status = 'PENDING' and other.endpoint_id = ${endpointId}
        and other.subject = recorded.subject and other.status = 'PENDING' and other.id > recorded.id
    )
    update webhook_endpoints set failing_since =
      case when ${attempt.isDelivered}::boolean then null else coalesce(failing_since, now()) end
    from recorded where webhook_endpoints.id = ${endpointId}
      and ${pauseSeconds !== null || attempt.isDelivered}::boolean
      and (failing_since is null) <> ${attempt.isDelivered}::boolean`.execute(database);
}

/**
 * Puts the endpoint's wake-up off until the grace after its next delivery, or ends it where none waits.
 * A demand that came since the target was read stays: its workflow is signalled. A webhook that was
 * resumed just after the dispatch of its events has missed that, so it stays due until it has them.
 *
 * Returns the time until the next delivery is due; null where none waits.
 */
export const settleWake = (
  database: Database,
  { id, wakeAt }: Pick<DeliveryTarget, 'id' | 'wakeAt'>,
  graceSeconds: number,
) =>
  firstValue<number | null>(database, null)`
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
    select ceil(extract(epoch from at - now()) * 1000)::float8 from next
  `;

/**
 * Switches off an active endpoint that has failed for too long without a success, and queues e-mails to the
 * people of its company. Returns whether it was switched off now.
 */
export const switchOffFailing = (database: Database, endpointId: number, afterSeconds: number) =>
  hasRows(database)`
    with ended as (
      update webhook_endpoints set status = 'SWITCHED_OFF', status_since = now(), wake_at = null,
        status_reason = 'Every attempt has failed since '
          || to_char(failing_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC.'
      where id = ${endpointId} and status = 'ACTIVE'
        and failing_since < now() - make_interval(secs => ${afterSeconds}::float8)
      returning id, company_kind, company_id, (extract(epoch from status_since) * 1000)::bigint as since
    ), told as (${queueMessages(sql`
      select 'switched-off-webhooks', ended.id::text, 'EMAIL', account.id,
        'webhook-' || ended.id || '-off-' || since || '-' || account.id
      from ended join portal_accounts as account on account.disabled_at is null
        and case company_kind when 'partner' then partner_id else merchant_id end = company_id`)}
    )
    select id from ended`;

/** Deliveries that one statement sends again, and one request of a choice. */
export const MOST_SENT_AGAIN = 10_000;

/** Wakes the workflow of an active webhook. */
async function wake(transaction: DatabaseTransaction, endpointId: number): Promise<void> {
  await transaction
    .updateTable('webhook_endpoints')
    .set({ wake_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', endpointId)
    .where('status', '=', 'ACTIVE')
    .execute();
}

/** Sends a test event; returns its delivery's id, or undefined while another test waits. */
export async function requestTestEvent(
  transaction: DatabaseTransaction,
  endpointId: number,
): Promise<number | undefined> {
  const waiting = await transaction
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('endpoint_id', '=', endpointId)
    .where('status', '=', 'PENDING')
    .where('type', '=', TEST_EVENT_TYPE)
    .executeTakeFirst();
  if (waiting) return undefined;
  const id = await addRow(transaction, 'webhook_deliveries', {
    endpoint_id: endpointId,
    type: TEST_EVENT_TYPE,
    subject: `webhook:${endpointId}`,
    retry_until: now,
  });
  await wake(transaction, endpointId);
  return id;
}

/**
 * The deliveries to be sent again: one, those made in a time (to excluded), or all that failed. Undelivered ones are
 * those that failed or wait for their next attempt.
 */
export type SentAgain =
  | { readonly kind: 'one'; readonly deliveryId: number }
  | { readonly kind: 'time'; readonly from: Date; readonly to: Date }
  | { readonly kind: 'failed' | 'undelivered' };

function conditionOf(which: SentAgain): Sql {
  switch (which.kind) {
    case 'one':
      return sql`status <> 'PENDING' and id = ${which.deliveryId}`;
    case 'time':
      return sql`status <> 'PENDING' and created_at >= ${which.from} and created_at < ${which.to}`;
    case 'failed':
      return sql`status = 'FAILED'`;
    case 'undelivered':
      return sql`status in ('PENDING', 'FAILED')`;
  }
}

/**
 * Makes deliveries due again, the oldest first; returns their number. A choice of failed deliveries or of a time ends at
 * `MOST_SENT_AGAIN`. Undelivered ones have no such end, since the company expects all of them. Test events are never
 * sent again.
 */
export async function sendAgain(
  transaction: DatabaseTransaction,
  endpointId: number,
  which: SentAgain,
  retrySeconds: number,
): Promise<number> {
  const condition = conditionOf(which);
  let changed = 0;
  let batch: { readonly count: number; readonly last: number | null } = { count: 0, last: 0 };
  do {
    batch = await onlyRow<typeof batch>(transaction)`
      with due as (
        update webhook_deliveries set status = 'PENDING',
          attempts = case status when 'PENDING' then attempts else 0 end, next_attempt_at = now(),
          retry_until = now() + make_interval(secs => ${retrySeconds}::float8)
        where id = any(array(
          select id from webhook_deliveries
          where endpoint_id = ${endpointId} and event_number is not null and id > ${batch.last}
            and ${condition}
          order by id limit ${MOST_SENT_AGAIN} for update))
        returning id
      )
      select count(*), max(id) as last from due`;
    changed += batch.count;
  } while (which.kind === 'undelivered' && batch.count === MOST_SENT_AGAIN);
  if (changed > 0) await wake(transaction, endpointId);
  return changed;
}

/** A delivery for people. */
export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];

/** The deliveries of a webhook, the newest first. */
export function listDeliveries(
  database: Database,
  endpointId: number,
  page: {
    /** Only those with smaller ids. */
    readonly before?: number | undefined;
    readonly status?: Selectable<WebhookDeliveriesTable>['status'] | undefined;
    readonly limit: number;
  },
) {
  let query = database
    .selectFrom('webhook_deliveries')
    .select([
      'id',
      'created_at as createdAt',
      'event_number as eventNumber',
      'type',
      'subject',
      'status',
      'attempts',
      'next_attempt_at as nextAttemptAt',
      'last_attempt_at as lastAttemptAt',
      'last_status_code as lastStatusCode',
      'last_milliseconds as lastMilliseconds',
      'last_answer as lastAnswer',
      'last_problem as lastProblem',
    ])
    .where('endpoint_id', '=', endpointId)
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  if (page.status !== undefined) query = query.where('status', '=', page.status);
  return query.execute();
}

/** The last attempt of a webhook, and the last one that failed. */
export interface WebhookHealth {
  readonly endpointId: number;
  readonly last: ShownAttempt | null;
  readonly failed: ShownAttempt | null;
  /** Whether anything is due now, such as a test event. */
  readonly isBusy: boolean;
  /** Events that wait for their next attempt, and those that were given up; of very many only a part is counted. */
  readonly waiting: number;
  readonly givenUp: number;
  /** Attempts that the next event has had, and when it has another one. */
  readonly attempts: number | null;
  readonly nextAt: Date | null;
}

/** An attempt without the text of the answer, which may hold anything. */
export interface ShownAttempt {
  /** A text in ISO 8601. */
  readonly at: string;
  readonly type: string;
  readonly statusCode: number | null;
  readonly problem: string | null;
}

/** Deliveries that are looked at on either side, so that the cost is bounded. */
const LOOKED_AT = 200;

/** The outcomes of the newest deliveries of webhooks, and of those up to the next one: many may wait behind it. */
export function webhookHealth(database: Database, endpointIds: readonly number[]) {
  const attempt = sql`json_build_object('at', last_attempt_at, 'type', type,
    'statusCode', last_status_code, 'problem', last_problem)`;
  const counted = (status: 'PENDING' | 'FAILED') => sql`(
    select count(1)::int from (
      select from webhook_deliveries where endpoint_id = endpoint.id and status = ${sql.lit(status)}
        and event_number is not null limit ${MOST_SENT_AGAIN}) as found)`;
  const looked = (which: Sql) => sql`(
    select type, last_attempt_at, last_status_code, last_problem
    from webhook_deliveries where endpoint_id = endpoint.id and ${which}
    order by webhook_deliveries.id desc limit ${LOOKED_AT})`;
  // A delivery that waits for an earlier delivery of its subject is not the next one.
  const waits = sql`from webhook_deliveries as delivery
    where endpoint_id = endpoint.id and status = 'PENDING' and ${isFirstOfSubject}`;
  return allRows<WebhookHealth>(database)`
    select endpoint.id as "endpointId",
      ${counted('PENDING')} as waiting, ${counted('FAILED')} as "givenUp",
      next.attempts, next.next_attempt_at as "nextAt",
      exists (select ${waits} and next_attempt_at <= now()) as "isBusy",
      (array_agg(${attempt} order by last_attempt_at desc)
        filter (where last_attempt_at is not null))[1] as last,
      (array_agg(${attempt} order by last_attempt_at desc)
        filter (where last_problem is not null))[1] as failed
    from unnest(${endpointIds}::bigint[]) as endpoint (id) left join lateral (
      select id, attempts, next_attempt_at ${waits} and event_number is not null
      order by next_attempt_at, id limit 1
    ) as next on true left join lateral (
      ${looked(sql`true`)} union all ${looked(sql`id <= next.id`)}
    ) as looked on true
    group by endpoint.id, next.attempts, next.next_attempt_at`;
}

/** Advisory lock of the worker that makes deliveries. */
const DISPATCH_LOCK = 4_127_061_120;

/** Events of one webhook in one batch. */
const EVENTS_PER_ENDPOINT = 500;
/** Webhooks in one batch. */
const ENDPOINTS_PER_BATCH = 200;

/** Whether there may be events to deliver; reads a few rows. */
export const readDispatchState = (database: Database) =>
  onlyRow<{
    /** The number of the newest event; null without any, and without an active webhook. */
    readonly newest: number | null;
    readonly isSomebodyDue: boolean;
  }>(database)`
    select case when exists (select from webhook_endpoints where status = 'ACTIVE')
        then (select max(number) from events) end as newest,
      exists (select from webhook_endpoints where wake_at <= now()) as "isSomebodyDue"
  `;

/**
 * Makes deliveries of the numbered events that active webhooks have not had, and wakes these
 * webhooks, in one statement. Only one worker does so at a time; undefined where another worker
 * does.
 *
 * Returns whether a batch was full, so that there may be more.
 */
export async function dispatchEvents(
  database: Database,
  retrySeconds: number,
): Promise<boolean | undefined> {
  return database.transaction().execute(async (transaction) => {
    if (!(await getsLock(transaction, DISPATCH_LOCK))) return undefined;
    const counts = await allValues<number>(transaction)`
      with due as (
        select endpoint.id, endpoint.company_kind, endpoint.company_id, endpoint.types,
          endpoint.cursor, found.last, found.events
        from webhook_endpoints as endpoint cross join lateral (
          select max(number) as last, count(*)::int as events from (
            select number from events
            where company_kind = endpoint.company_kind and company_id = endpoint.company_id
              and number > endpoint.cursor
            order by number limit ${EVENTS_PER_ENDPOINT}) as next) as found
        where endpoint.status = 'ACTIVE' and found.last is not null
        order by endpoint.id limit ${ENDPOINTS_PER_BATCH}
      ), made as (
        insert into webhook_deliveries (endpoint_id, event_number, type, subject, retry_until)
        select due.id, events.number, events.type, events.subject,
          now() + make_interval(secs => ${retrySeconds}::float8)
        from due join events on events.company_kind = due.company_kind
          and events.company_id = due.company_id
          and events.number > due.cursor and events.number <= due.last
        where due.types is null or events.type = any(due.types)
        order by events.number
        on conflict (endpoint_id, event_number) do nothing
        returning endpoint_id
      ), moved as (
        update webhook_endpoints as endpoint set cursor = due.last,
          wake_at = case when endpoint.id in (select endpoint_id from made)
            then clock_timestamp() else endpoint.wake_at end
        from due where endpoint.id = due.id
      )
      select events from due`;
    return counts.length === ENDPOINTS_PER_BATCH || counts.includes(EVENTS_PER_ENDPOINT);
  });
}

/** A webhook whose workflow is to be started or signalled. */
export interface DueEndpoint {
  readonly id: number;
  /** The exact time that asked for it, as text: a Date has milliseconds only. */
  readonly wakeAt: string;
  readonly company: Company;
}

/** The active webhooks that are due, the longest waiting first. */
export const listDueEndpoints = (database: Database, limit: number) =>
  allRows<DueEndpoint>(database)`
    select id, wake_at::text as "wakeAt",
      json_build_object('kind', company_kind, 'id', company_id) as company
    from webhook_endpoints where wake_at <= now() order by wake_at limit ${limit}
  `;

/**
 * Notes that the workflow of a webhook is being woken; false where another worker does it, or the webhook
 * is no longer active. If the workflow is lost, the webhook is due again after the given time; a running
 * workflow moves it on.
 */
export async function takeWake(
  database: Database,
  { id, wakeAt }: Pick<DueEndpoint, 'id' | 'wakeAt'>,
  watchSeconds: number,
): Promise<boolean> {
  const isActive = await firstValue<boolean>(database)`
    update webhook_endpoints set wake_at = case when status = 'ACTIVE'
      then clock_timestamp() + make_interval(secs => ${watchSeconds}::float8) end
    where id = ${id} and wake_at = ${wakeAt}::timestamptz
    returning status = 'ACTIVE'`;
  return isActive === true;
}
