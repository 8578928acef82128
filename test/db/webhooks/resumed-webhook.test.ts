import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { numberEvents } from '../../../src/db/events.ts';
import {
  dispatchEvents,
  listDueEndpoints,
  MOST_SENT_AGAIN,
  readDeliveryTarget,
  readDispatchState,
  recordAttempt,
  settleWake,
  takeWake,
} from '../../../src/db/webhooks/deliveries.ts';
import { findWebhook, setWebhookStatus } from '../../../src/db/webhooks/endpoints.ts';
import { switchWebhook } from '../../../src/operations/webhooks.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { addPartnerWebhook } from '../webhook-rows.ts';

/** A webhook that is resumed between two steps of the worker that makes deliveries. */
let open: OpenDatabase;
beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

/** A webhook of a new partner. */
async function newWebhook() {
  const { database } = open;
  const { id, partnerId } = await addPartnerWebhook(database);
  const setStatus = (status: 'ACTIVE' | 'DISABLED') =>
    database
      .transaction()
      .execute((transaction) => setWebhookStatus(transaction, id, status, 'test'));
  return { id, partnerId, setStatus };
}

/** Resumes a webhook, as its company does. */
const resume = (id: number) =>
  open.database.transaction().execute(async (transaction) => {
    const webhook = await findWebhook(transaction, id);
    if (!webhook) throw new Error('The webhook is gone');
    const resumed = { status: 'ACTIVE', reason: 'test' } as const;
    return switchWebhook(transaction, webhook, resumed, {
      webhooks: { webhookRetrySeconds: 60 },
    } as never);
  });

it('gets every event that was given up or waits, however many there are', async () => {
  const { database } = open;
  const { id, setStatus } = await newWebhook();
  await sql`
    insert into webhook_deliveries (endpoint_id, event_number, type, subject, status, attempts,
      next_attempt_at, retry_until)
    select ${id}::bigint, number, 'voucher.expired', 'voucher:' || number,
      case when number % 2 = 0 then 'FAILED' else 'PENDING' end, 9, now() + interval '9 hours', now()
    from generate_series(1, ${2 * MOST_SENT_AGAIN + 2}::int) as number`.execute(database);
  await setStatus('DISABLED');
  await resume(id);
  const late = await database
    .selectFrom('webhook_deliveries')
    .select('event_number')
    .where(sql<boolean>`status <> 'PENDING' or next_attempt_at > now() or retry_until <= now()`)
    .execute();
  expect(late).toEqual([]);
  await database.deleteFrom('webhook_deliveries').execute();
  await setStatus('DISABLED');
});

it('waits for no attempt from before its pause that waits for it', async () => {
  const { database } = open;
  const { id, setStatus } = await newWebhook();
  const { rows: deliveries } = await sql<{ id: number }>`
    insert into webhook_deliveries (endpoint_id, event_number, type, subject, retry_until)
    select ${id}::bigint, -number, 'voucher.expired', 'voucher:' || number, now() + interval '1 day'
    from generate_series(1, 2) as number returning id`.execute(database);
  const [first = 0, second = 0] = deliveries.map((delivery) => delivery.id).toSorted();
  await setStatus('DISABLED');
  const { ended } = await database.transaction().execute(async (holder) => {
    await sql`select from webhook_deliveries where id = ${first} for update`.execute(holder);
    const resumed = resume(id);
    await untilBlockedBy(holder, database, 1);
    const recorded = recordAttempt(
      database,
      id,
      { id: second, attempts: 0 },
      {
        ...{ isDelivered: false, status: 500, milliseconds: 1, excerpt: null, problem: '500' },
        pauseSeconds: 60,
      },
    );
    await Promise.race([recorded, untilBlockedBy(holder, database, 2)]);
    return { ended: Promise.all([resumed, recorded]) };
  });
  expect(await ended).toMatchObject([{ status: 'ACTIVE' }, undefined]);
  await database.deleteFrom('webhook_deliveries').execute();
  await setStatus('DISABLED');
});

it('gets what it has missed, although the dispatch of that was over', async () => {
  const { database } = open;
  const { id, partnerId, setStatus } = await newWebhook();
  await setStatus('DISABLED');
  await sql`
    insert into events (company_kind, company_id, type, subject, data)
    values ('partner', ${partnerId}, 'voucher.expired', 'voucher:1', '{}')`.execute(database);
  await numberEvents(database, 10, () => false);

  // The worker dispatches; then the webhook is resumed; then the worker wakes what is due.
  await dispatchEvents(database, 60);
  await setStatus('ACTIVE');
  const [due] = await listDueEndpoints(database, 10);
  expect(due?.id).toBe(id);
  expect(due && (await takeWake(database, due, 60))).toBe(true);
  // Its workflow finds nothing to deliver.
  const target = await readDeliveryTarget(database, id);
  expect(target && (await settleWake(database, target, 60))).toBeNull();

  // No further event comes: the webhook itself makes the worker dispatch again.
  expect(await readDispatchState(database)).toMatchObject({ isSomebodyDue: true });
  await dispatchEvents(database, 60);
  const deliveries = await database.selectFrom('webhook_deliveries').select('subject').execute();
  expect(deliveries).toEqual([{ subject: 'voucher:1' }]);

  // With everything dispatched it rests.
  const next = await readDeliveryTarget(database, id);
  await database.updateTable('webhook_deliveries').set({ status: 'DELIVERED' }).execute();
  expect(next && (await settleWake(database, next, 60))).toBeNull();
  expect(await readDispatchState(database)).toMatchObject({ isSomebodyDue: false });
});
