import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';

/** Advisory lock of the worker that makes deliveries. */
const DISPATCH_LOCK = 4_127_061_120;

/** Events of one webhook in one batch. */
const EVENTS_PER_ENDPOINT = 500;
/** Webhooks in one batch. */
const ENDPOINTS_PER_BATCH = 200;

/** Whether there may be work, at the price of a few rows. */
export async function readDispatchState(database: Database): Promise<{
  /** The number of the newest event; null without any, and without an active webhook. */
  readonly newest: number | null;
  readonly isSomebodyDue: boolean;
}> {
  const { rows } = await sql<{ newest: number | null; isSomebodyDue: boolean }>`
    select case when exists (select from webhook_endpoints where status = 'ACTIVE')
        then (select max(number) from events) end as newest,
      exists (select from webhook_endpoints where wake_at <= now()) as "isSomebodyDue"
  `.execute(database);
  return rows[0] ?? { newest: null, isSomebodyDue: false };
}

/**
 * Makes deliveries of the numbered events that active webhooks have not had, and wakes these webhooks,
 * in one statement. Only one worker does so at a time; undefined where another one does.
 *
 * Returns whether a batch was full, so that there may be more.
 */
export async function dispatchEvents(
  database: Database,
  retrySeconds: number,
): Promise<boolean | undefined> {
  return database.transaction().execute(async (transaction) => {
    const { rows: locks } = await sql<{ has: boolean }>`
      select pg_try_advisory_xact_lock(${DISPATCH_LOCK}) as has`.execute(transaction);
    if (!locks[0]?.has) return undefined;
    const { rows } = await sql<{ events: number }>`
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
      select events from due`.execute(transaction);
    return (
      rows.length === ENDPOINTS_PER_BATCH ||
      rows.some(({ events }) => events === EVENTS_PER_ENDPOINT)
    );
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
export async function listDueEndpoints(database: Database, limit: number): Promise<DueEndpoint[]> {
  const { rows } = await sql<DueEndpoint>`
    select id, wake_at::text as "wakeAt",
      json_build_object('kind', company_kind, 'id', company_id) as company
    from webhook_endpoints where wake_at <= now() order by wake_at limit ${limit}
  `.execute(database);
  return rows;
}

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
  const { rows } = await sql<{ isActive: boolean }>`
    update webhook_endpoints set wake_at = case when status = 'ACTIVE'
      then clock_timestamp() + make_interval(secs => ${watchSeconds}::float8) end
    where id = ${id} and wake_at = ${wakeAt}::timestamptz
    returning status = 'ACTIVE' as "isActive"`.execute(database);
  return rows[0]?.isActive === true;
}
