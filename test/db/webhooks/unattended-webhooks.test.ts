import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readServiceState } from '../../../src/db/overview.ts';
import { listDueEndpoints, takeWake } from '../../../src/db/webhooks/deliveries.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { addPartnerWebhook } from '../webhook-rows.ts';

/** The outbox `webhooks` of metrics, of the alert OutboxStuck and of the status page. */
let open: OpenDatabase;
beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

const MINUTE = 60;

/** A webhook of a new partner, added an hour ago, with two deliveries that have been due for twenty minutes. */
async function newWebhook(): Promise<number> {
  const { database } = open;
  const { id } = await addPartnerWebhook(database);
  await sql`
    with added as (
      update webhook_endpoints set status_since = now() - interval '1 hour', wake_at = now() where id = ${id})
    insert into webhook_deliveries (endpoint_id, event_number, type, subject, retry_until, next_attempt_at)
    select ${id}::bigint, -number, 'voucher.expired', 'voucher:' || number, now() + interval '1 day',
      now() - interval '20 minutes'
    from generate_series(1, 2) as number`.execute(database);
  return id;
}

const ofFirst = (values: string) => (id: number) =>
  sql`
  update webhook_deliveries set ${sql.raw(values)}
  where id = (select min(id) from webhook_deliveries where endpoint_id = ${id})`;
const ofAll = (values: string) => (id: number) =>
  sql`update webhook_deliveries set ${sql.raw(values)} where endpoint_id = ${id}`;
const ofWebhook = (values: string) => (id: number) =>
  sql`update webhook_endpoints set ${sql.raw(values)} where id = ${id}`;
const undispatched = (id: number) => sql`
  with no_delivery as (delete from webhook_deliveries where endpoint_id = ${id})
  insert into events (created_at, number, company_kind, company_id, type, subject, data)
  select now() - interval '30 minutes', 1_000 + id, company_kind, company_id, 'voucher.expired', 'voucher:1', '{}'
  from webhook_endpoints where id = ${id}`;

test.each<[string, (id: number) => ReturnType<typeof sql>, number | null]>([
  ['nobody attempts', ofFirst('attempts = 0'), 20 * MINUTE],
  ['whose event is no delivery yet', undispatched, 30 * MINUTE],
  [
    'that a slow receiver takes one by one',
    ofFirst(`status = 'DELIVERED', last_attempt_at = now()`),
    0,
  ],
  [
    'whose last attempt is old',
    ofFirst(`status = 'DELIVERED', last_attempt_at = now() - interval '10 minutes'`),
    10 * MINUTE,
  ],
  ['that was resumed now', ofWebhook('status_since = now()'), 0],
  ['that waits for its next attempt', ofAll(`next_attempt_at = now() + interval '1 hour'`), null],
  ['that fails', ofWebhook('failing_since = now()'), null],
  ['that is paused', ofWebhook(`status = 'DISABLED'`), null],
])('a webhook %s', async (_name, change, age) => {
  const { database } = open;
  const id = await newWebhook();
  await change(id).execute(database);
  // Workers wake its workflow every minute, and it gives no sign.
  for (const due of await listDueEndpoints(database, 10)) await takeWake(database, due, MINUTE);
  const { waiting } = await readServiceState(database, []);
  const webhooks = waiting.find(({ outbox }) => outbox === 'webhooks');
  expect(webhooks?.count).toBe(age === null ? 0 : 1);
  expect(webhooks?.oldestSeconds).toBeGreaterThanOrEqual(age ?? 0);
  expect(webhooks?.oldestSeconds).toBeLessThan((age ?? 0) + MINUTE);
  await sql`update webhook_endpoints set status = 'REMOVED'`.execute(database);
});
