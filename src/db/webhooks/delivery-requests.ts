import { sql } from 'kysely';
import { TEST_EVENT_TYPE } from '../../domain/webhooks/webhook.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { DeliveryStatus } from '../schema/all-tables.ts';

/** Deliveries that one request sends again. */
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
  const { id } = await transaction
    .insertInto('webhook_deliveries')
    .values({
      endpoint_id: endpointId,
      type: TEST_EVENT_TYPE,
      subject: `webhook:${endpointId}`,
      retry_until: sql<Date>`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await wake(transaction, endpointId);
  return id;
}

/** The deliveries to be sent again: one, those made in a time (to excluded), or all that failed. */
export type SentAgain =
  | { readonly kind: 'one'; readonly deliveryId: number }
  | { readonly kind: 'time'; readonly from: Date; readonly to: Date }
  | { readonly kind: 'failed' };

/**
 * Makes settled deliveries due again, at most `MOST_SENT_AGAIN`, the oldest first; returns their number.
 * Test events are never sent again.
 */
export async function sendAgain(
  transaction: DatabaseTransaction,
  endpointId: number,
  which: SentAgain,
  retrySeconds: number,
): Promise<number> {
  const condition =
    which.kind === 'one'
      ? sql`status <> 'PENDING' and id = ${which.deliveryId}`
      : which.kind === 'failed'
        ? sql`status = 'FAILED'`
        : sql`status <> 'PENDING' and created_at >= ${which.from} and created_at < ${which.to}`;
  const { numAffectedRows = 0n } = await sql`
    update webhook_deliveries set status = 'PENDING', attempts = 0, next_attempt_at = now(),
      retry_until = now() + make_interval(secs => ${retrySeconds}::float8)
    where id = any(array(
      select id from webhook_deliveries
      where endpoint_id = ${endpointId} and event_number is not null and ${condition}
      order by id limit ${MOST_SENT_AGAIN} for update))`.execute(transaction);
  if (numAffectedRows > 0n) await wake(transaction, endpointId);
  return Number(numAffectedRows);
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
    readonly status?: DeliveryStatus | undefined;
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
