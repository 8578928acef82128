import type { ServerResponse } from 'node:http';
import { WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import { requestTestEvent, sendAgain } from '../../../src/db/webhooks/deliveries.ts';
import {
  addWebhookSecret,
  findWebhook,
  removeWebhook,
  setWebhookStatus,
} from '../../../src/db/webhooks/endpoints.ts';
import { rotateWebhookSecret, switchWebhook } from '../../../src/operations/webhooks.ts';
import { deliverWebhooksId } from '../../../workflows/workflow-ids.ts';
import { prune } from '../../db/prune.ts';
import { partnerClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { isSigned, setWebhookScene, type WebhookScene } from './webhook-scene.ts';

let scene: WebhookScene;
beforeAll(async () => {
  scene = await setWebhookScene();
});
afterAll(() => scene?.stop());

const statuses = async (endpointId: number) =>
  (await scene.deliveries(endpointId)).map(({ status }) => status);

const stateOfWorkflow = async (endpointId: number) => {
  const { config, temporal } = scene.stack;
  const workflowId = deliverWebhooksId(endpointId, config.temporal.temporalTaskQueue);
  return (await temporal.client.workflow.getHandle(workflowId).describe()).status.name;
};

/** Nothing waits, and the workflow has ended. */
const isAtRest = (endpointId: number) =>
  until(async () => {
    expect(await statuses(endpointId)).not.toContain('PENDING');
    expect(await stateOfWorkflow(endpointId)).toBe('COMPLETED');
    expect((await scene.endpoint(endpointId)).wake_at).toBeNull();
  });

const subjects = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, place) => `${prefix}:${place}`);

it('tells a partner of the voucher that it generated', async () => {
  const shop = await scene.receiver();
  const { id, secret } = await scene.register(`${shop.url}/hooks?key=1`);
  const asPartner = await partnerClient(scene.stack, scene.partner);
  const merchant = await makeMerchant(scene.stack);
  const { body } = await asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: scene.partner.denominations[100],
    merchantId: merchant.id,
    msisdn: '+251911000000',
  });
  await until(() => expect(shop.received).toHaveLength(1));
  const [got] = shop.received;
  if (!got) throw new Error('nothing came');
  expect(shop.requests).toEqual(['POST /hooks?key=1']);
  expect(isSigned(got, secret)).toBe(true);
  expect(isSigned({ ...got, text: `${got.text} ` }, secret)).toBe(false);
  expect(got.headers['content-type']).toBe('application/json');
  expect(got.event).toMatchObject({
    id: got.headers['webhook-id'],
    type: 'voucher.generated',
    subject: `voucher:${body.data.voucher.id}`,
    data: { voucherId: Number(body.data.voucher.id), amount: expect.stringMatching(/^100/) },
  });
  expect(got.text).not.toContain(body.data.voucher.voucherCode);
  const listed = await asPartner.get('/events');
  expect(listed.body.data.events).toEqual([got.event]);
  await isAtRest(id);
  expect(await scene.deliveries(id)).toMatchObject([
    { status: 'DELIVERED', attempts: 1, last_status_code: 200, last_problem: null },
  ]);
  await remove(id);
});

/** Rotates the secret of a webhook; the new one. */
async function rotated(id: number, overlapHours: number): Promise<string> {
  const secretBox = createSecretBox(scene.stack.config.secrets.dataKeys);
  const { secret } = await scene.stack.database
    .transaction()
    .execute((transaction) =>
      rotateWebhookSecret(transaction, { id, url: 'of the test' }, { secretBox, overlapHours }),
    );
  return secret;
}

const remove = (id: number) =>
  scene.stack.database.transaction().execute((transaction) => removeWebhook(transaction, id));

it('delivers only the types that a webhook wants, and only events of its company', async () => {
  const shop = await scene.receiver();
  const other = await scene.receiver();
  const stranger = await makePartner(scene.stack);
  const mine = await scene.register(shop.url, { types: ['topup.failed', 'topup.late'] });
  const theirs = await scene.register(other.url, { company: { kind: 'partner', id: stranger.id } });
  await scene.addEvents(['top-up:1'], { type: 'topup.failed' });
  await scene.addEvents(['top-up:2'], { type: 'topup.succeeded' });
  await scene.addEvents(['top-up:1'], { type: 'topup.late' });
  await until(() => expect(shop.received).toHaveLength(2));
  await isAtRest(mine.id);
  expect(shop.received.map(({ event }) => event.type)).toEqual(['topup.failed', 'topup.late']);
  expect(other.received).toEqual([]);
  expect(await scene.deliveries(theirs.id)).toEqual([]);
  await Promise.all([remove(mine.id), remove(theirs.id)]);
});

it.concurrent('keeps the order of an object while a failure holds it up, and lets others pass', async () => {
  const { register, addEvents } = await scene.another();
  let failures = 2;
  const shop = await scene.receiver((response, { event }) => {
    const isRefused = event.subject === 'voucher:1' && event.data.place === 1 && failures > 0;
    if (isRefused) failures -= 1;
    response.writeHead(isRefused ? 500 : 204).end();
  });
  const { id } = await register(shop.url);
  await addEvents(['voucher:1', 'voucher:2', 'voucher:1', 'voucher:2', 'voucher:1']);
  await isAtRest(id);
  const placesOf = (subject: string) =>
    shop.received
      .filter(({ event }) => event.subject === subject)
      .map(({ event }) => event.data.place);
  expect(placesOf('voucher:1')).toEqual([1, 1, 1, 3, 5]);
  expect(placesOf('voucher:2')).toEqual([2, 4]);
  const places = shop.received.map(({ event }) => event.data.place);
  expect(places.indexOf(4)).toBeLessThan(places.indexOf(3));
  const ids = shop.received
    .filter(({ event }) => event.data.place === 1)
    .map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
  expect((await scene.endpoint(id)).failing_since).toBeNull();
  await remove(id);
});

it.concurrent('loses none of many', async () => {
  const { register, addEvents } = await scene.another();
  const shop = await scene.receiver();
  const { id } = await register(shop.url);
  // More than one batch of the dispatch, and while the workflow runs.
  await addEvents(subjects('voucher', 520));
  await addEvents(subjects('voucher', 20));
  await until(() => expect(shop.received.length).toBeGreaterThan(0));
  await addEvents(subjects('top-up', 20));
  await isAtRest(id);
  expect(await scene.deliveries(id)).toHaveLength(560);
  expect(new Set(shop.received.map(({ headers }) => headers['webhook-id'])).size).toBe(560);
  await remove(id);
});

it.concurrent('slows nobody else by a receiver that hangs', async () => {
  const { register, addEvents } = await scene.another();
  const held: ServerResponse[] = [];
  const hanging = await scene.receiver((response) => held.push(response));
  const quick = await scene.receiver();
  const slow = await register(hanging.url);
  await addEvents(subjects('voucher', 20));
  await until(() => expect(hanging.received.length).toBeGreaterThan(0));
  const { id } = await register(quick.url);
  await addEvents(subjects('top-up', 20));
  await isAtRest(id);
  expect(quick.received).toHaveLength(20);
  // Its first calls still hang.
  const ofSlow = await scene.deliveries(slow.id);
  expect(new Set(ofSlow.map(({ status, attempts }) => `${status} ${attempts}`))).toEqual(
    new Set(['PENDING 0']),
  );
  await Promise.all([remove(id), remove(slow.id)]);
  for (const response of held) response.end();
});

describe('a receiver that answers', () => {
  it.concurrent.each([
    ['500', 500, 'answered 500'],
    ['301', 301, 'redirects'],
    ['410', 410, 'answered 410'],
  ])('%s gets the event again', async (_name, status, problem) => {
    const { register, addEvents } = await scene.another();
    let isMended = false;
    const shop = await scene.receiver((response) => {
      response.writeHead(isMended ? 200 : status, { Location: 'http://127.0.0.1/' }).end('so');
    });
    const { id } = await register(shop.url);
    await addEvents(['voucher:9']);
    await until(async () =>
      expect(await scene.deliveries(id)).toMatchObject([{ last_status_code: status }]),
    );
    const [failed] = await scene.deliveries(id);
    expect(failed?.last_problem).toContain(problem);
    expect(failed?.last_answer).toBe('so');
    isMended = true;
    await isAtRest(id);
    expect(shop.received.length).toBeGreaterThan(1);
    expect(new Set(shop.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await statuses(id)).toEqual(['DELIVERED']);
    await remove(id);
  });
});

it.concurrent('signs by both secrets while a rotation overlaps', async () => {
  const { register, addEvents } = await scene.another();
  const shop = await scene.receiver();
  const { id, secret } = await register(shop.url);
  const next = await rotated(id, 1);
  await addEvents(['voucher:1']);
  await until(() => expect(shop.received).toHaveLength(1));
  const [both] = shop.received;
  expect(both && [isSigned(both, secret), isSigned(both, next)]).toEqual([true, true]);
  await scene.stack.database
    .updateTable('webhook_secrets')
    .set({ expires_at: new Date() })
    .where('endpoint_id', '=', id)
    .where('expires_at', 'is not', null)
    .execute();
  await addEvents(['voucher:2']);
  await until(() => expect(shop.received).toHaveLength(2));
  const one = shop.received[1];
  expect(one && [isSigned(one, secret), isSigned(one, next)]).toEqual([false, true]);
  await remove(id);
});

it.concurrent('gives no earlier secret more time than the last rotation allows', async () => {
  const { register, addEvents } = await scene.another();
  const shop = await scene.receiver();
  const { id, secret } = await register(shop.url);
  const second = await rotated(id, 24);
  const third = await rotated(id, 24);
  const last = await rotated(id, 0);
  await addEvents(['voucher:1']);
  await until(() => expect(shop.received).toHaveLength(1));
  const [delivery] = shop.received;
  expect([secret, second, third, last].map((one) => delivery && isSigned(delivery, one))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  await remove(id);
});

it.concurrent('holds events back while it is paused, and delivers them when it is resumed', async () => {
  const { register, addEvents } = await scene.another();
  const shop = await scene.receiver();
  const { id } = await register(shop.url);
  const set = (status: 'ACTIVE' | 'DISABLED') =>
    scene.stack.database
      .transaction()
      .execute((transaction) => setWebhookStatus(transaction, id, status, 'test'));
  expect(await set('DISABLED')).toBe(true);
  expect(await set('DISABLED')).toBe(false);
  const witness = await scene.receiver();
  const other = await register(witness.url);
  await addEvents(['voucher:1', 'voucher:1']);
  await isAtRest(other.id);
  expect(shop.received).toEqual([]);
  await set('ACTIVE');
  await until(() => expect(shop.received).toHaveLength(2));
  await Promise.all([remove(id), remove(other.id)]);
});

it.concurrent('gets at once what it has missed when it is resumed, also what was given up', async () => {
  const { register, addEvents } = await scene.another();
  const { database, config } = scene.stack;
  let isDown = true;
  const shop = await scene.receiver((response) => response.writeHead(isDown ? 500 : 200).end());
  const { id } = await register(shop.url);
  await addEvents(['voucher:1', 'voucher:2']);
  await until(async () => expect((await scene.endpoint(id)).failing_since).not.toBeNull());
  const set = async (status: 'ACTIVE' | 'DISABLED') => {
    const webhook = await findWebhook(database, id);
    if (!webhook) throw new Error('no webhook');
    await database
      .transaction()
      .execute((transaction) =>
        switchWebhook(transaction, webhook, { status, reason: 'test' }, config),
      );
  };
  await set('DISABLED');
  // As after days: one was given up, and the other one waits for hours.
  await until(async () => expect(await stateOfWorkflow(id)).toBe('COMPLETED'));
  await sql`update webhook_deliveries set next_attempt_at = now() + interval '12 hours', retry_until = now(),
      status = case subject when 'voucher:1' then 'FAILED' else 'PENDING' end
    where endpoint_id = ${id}`.execute(database);
  await addEvents(['voucher:1', 'voucher:2']);
  // The receiver is not quite there yet: that is no reason to give up.
  const before = shop.received.length;
  await set('ACTIVE');
  await until(() => expect(shop.received.length).toBeGreaterThan(before + 1));
  isDown = false;
  await isAtRest(id);
  expect(await statuses(id)).toEqual(Array(4).fill('DELIVERED'));
  await remove(id);
});

it.concurrent('gets a test event that is not in the log, and sends it once', async () => {
  const { register } = await scene.another();
  const shop = await scene.receiver((response) => response.writeHead(503).end());
  const { id, secret } = await register(shop.url);
  await scene.stack.database
    .transaction()
    .execute((transaction) => requestTestEvent(transaction, id));
  await isAtRest(id);
  expect(shop.received).toHaveLength(1);
  const [got] = shop.received;
  expect(got && isSigned(got, secret)).toBe(true);
  expect(got?.event).toMatchObject({
    type: 'webhook.test',
    id: expect.stringMatching(/^test_\d+$/),
  });
  expect(await statuses(id)).toEqual(['FAILED']);
  // A test says nothing about the events.
  expect((await scene.endpoint(id)).failing_since).toBeNull();
  await remove(id);
});

it.concurrent('sends again what is asked for, under the same id', async () => {
  const { register, addEvents } = await scene.another();
  const shop = await scene.receiver();
  const { id } = await register(shop.url);
  await addEvents(['voucher:1', 'voucher:2']);
  await isAtRest(id);
  const [first] = await scene.deliveries(id);
  const again = (which: Parameters<typeof sendAgain>[2]) =>
    scene.stack.database
      .transaction()
      .execute((transaction) => sendAgain(transaction, id, which, 60));
  expect(await again({ kind: 'one', deliveryId: first?.id ?? 0 })).toBe(1);
  await isAtRest(id);
  expect(shop.received).toHaveLength(3);
  expect(shop.received[2]?.headers['webhook-id']).toBe(shop.received[0]?.headers['webhook-id']);
  expect(await again({ kind: 'failed' })).toBe(0);
  const from = first?.created_at ?? new Date();
  expect(await again({ kind: 'time', from, to: new Date(Date.now() + 1_000) })).toBe(2);
  expect(await again({ kind: 'time', from: new Date(0), to: from })).toBe(0);
  await isAtRest(id);
  expect(shop.received).toHaveLength(5);
  await remove(id);
});

it.concurrent('gives up at once what is no longer kept, and blames no receiver for it', async () => {
  const { register, addEvents } = await scene.another();
  const { database } = scene.stack;
  const shop = await scene.receiver();
  const { id } = await register(shop.url);
  await addEvents(['voucher:1', 'voucher:1']);
  await isAtRest(id);
  const [first] = await scene.deliveries(id);
  await database
    .deleteFrom('events')
    .where('number', '=', first?.event_number ?? 0)
    .execute();
  const again = { kind: 'time', from: new Date(0), to: new Date(Date.now() + 1_000) } as const;
  await database.transaction().execute((transaction) => sendAgain(transaction, id, again, 3_600));
  await isAtRest(id);
  expect(await scene.deliveries(id)).toMatchObject([
    { status: 'FAILED', attempts: 1, last_problem: 'The event is no longer kept.' },
    { status: 'DELIVERED', attempts: 1 },
  ]);
  expect(shop.received.map(({ event }) => event.data.place)).toEqual([1, 2, 2]);
  expect((await scene.endpoint(id)).failing_since).toBeNull();
  await remove(id);
});

it.concurrent('starts a workflow anew that was lost', async () => {
  const { register, addEvents } = await scene.another();
  let isUp = false;
  const shop = await scene.receiver((response) => response.writeHead(isUp ? 200 : 500).end());
  const { id } = await register(shop.url);
  await addEvents(['voucher:1']);
  await until(() => expect(shop.received.length).toBeGreaterThan(0));
  const { client } = scene.stack.temporal;
  await client.workflow
    .getHandle(deliverWebhooksId(id, scene.stack.config.temporal.temporalTaskQueue))
    .terminate('lost');
  isUp = true;
  // As if the watch's time had passed.
  await scene.stack.database
    .updateTable('webhook_endpoints')
    .set({ wake_at: new Date() })
    .where('id', '=', id)
    .execute();
  await isAtRest(id);
  expect(await statuses(id)).toEqual(['DELIVERED']);
  await remove(id);
});

it('forgets deliveries as old as forgotten events, and secrets that no longer sign', async () => {
  const { database } = scene.stack;
  const shop = await scene.receiver();
  const { id } = await scene.register(shop.url);
  await scene.addEvents(['voucher:1', 'voucher:2']);
  await isAtRest(id);
  const [old, young] = await scene.deliveries(id);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  await database
    .updateTable('webhook_deliveries')
    .set({ created_at: daysAgo(31) })
    .where('id', '=', old?.id ?? 0)
    .execute();
  expect(await prune(database, 'webhook deliveries')).toBe(1);
  expect((await scene.deliveries(id)).map((delivery) => delivery.id)).toEqual([young?.id]);
  const secrets = () =>
    database.selectFrom('webhook_secrets').selectAll().where('endpoint_id', '=', id).execute();
  await database
    .transaction()
    .execute((transaction) =>
      addWebhookSecret(transaction, id, { ciphertext: 'next', overlapHours: 1 }),
    );
  await prune(database, 'webhook secrets');
  expect(await secrets()).toHaveLength(2);
  await database
    .updateTable('webhook_secrets')
    .set({ expires_at: daysAgo(1) })
    .where('expires_at', 'is not', null)
    .execute();
  await prune(database, 'webhook secrets');
  expect(await secrets()).toMatchObject([{ ciphertext: 'next', expires_at: null }]);
  await remove(id);
});

it('ends the demand for a webhook that is no longer active', async () => {
  const shop = await scene.receiver();
  const { id } = await scene.register(shop.url);
  const { database } = scene.stack;
  const set = (values: { status?: 'DISABLED'; wake_at: Date }) =>
    database.updateTable('webhook_endpoints').set(values).where('id', '=', id).execute();
  await set({ status: 'DISABLED', wake_at: new Date() });
  await until(async () => expect((await scene.endpoint(id)).wake_at).toBeNull());
  const { client } = scene.stack.temporal;
  const workflowId = deliverWebhooksId(id, scene.stack.config.temporal.temporalTaskQueue);
  await expect(client.workflow.getHandle(workflowId).describe()).rejects.toBeInstanceOf(
    WorkflowNotFoundError,
  );
  await remove(id);
});
