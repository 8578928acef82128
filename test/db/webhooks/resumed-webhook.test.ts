import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { numberEvents } from '../../../src/db/events.ts';
import {
  dispatchEvents,
  listDueEndpoints,
  readDeliveryTarget,
  readDispatchState,
  settleWake,
  takeWake,
} from '../../../src/db/webhooks/deliveries.ts';
import { addWebhook, setWebhookStatus } from '../../../src/db/webhooks/endpoints.ts';
import { addGiftSeller } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

/** A webhook that is resumed between two steps of the worker that makes deliveries. */
let open: OpenDatabase;
beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

it('gets what it has missed, although the dispatch of that was over', async () => {
  const { database } = open;
  const { partnerId } = await addGiftSeller(database);
  const id = await database.transaction().execute((transaction) =>
    addWebhook(transaction, {
      company: { kind: 'partner', id: partnerId },
      url: 'https://shop.example',
      description: '',
      types: null,
      createdBy: 'test',
    }),
  );
  const setStatus = (status: 'ACTIVE' | 'DISABLED') =>
    database
      .transaction()
      .execute((transaction) => setWebhookStatus(transaction, id, status, 'test'));
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
