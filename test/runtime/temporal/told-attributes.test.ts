import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calls } from '../../../src/operations/workflow-calls.ts';
import { done } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { setWebhookScene, type WebhookScene } from '../../end-to-end/webhooks/webhook-scene.ts';
import { until } from '../../support/until.ts';
import { createStarts, expected, hasAll, type Starts } from './start-attributes.ts';

/** What tells people something: webhooks, and messages that another workflow left behind; and the queries of the guide. */

let scene: RedemptionScene;
let webhooks: WebhookScene;
let startedWith: Starts['startedWith'];
beforeAll(async () => {
  scene = await setRedemptionScene();
  webhooks = await setWebhookScene();
  ({ startedWith } = createStarts(scene.stack));
});
afterAll(async () => {
  await scene?.stop();
  await webhooks?.stop();
});

/** A redemption whose confirmation waits to be sent since long, although its workflow has ended. */
async function unconfirmed() {
  const { database } = scene.stack;
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ isRestricted: false });
  done(await redeem(client, gift, { verificationCode: await scene.claimed(client, gift) }));
  const redemption = await until(() =>
    database
      .selectFrom('redemptions')
      .innerJoin('vouchers', 'vouchers.id', 'voucher_id')
      .innerJoin('messages', 'messages.redemption_id', 'redemptions.id')
      .select(['redemptions.id', 'serial_number', 'platform_reference', 'payment_reference'])
      .where('redemptions.voucher_id', '=', gift.id)
      .where('messages.settled_at', 'is not', null)
      .executeTakeFirstOrThrow(),
  );
  const past = sql`now() - interval '10 minutes'`;
  await sql`update messages set status = 'QUEUED', settled_at = null, provider_message = null,
    created_at = ${past} where redemption_id = ${redemption.id}`.execute(database);
  await sql`update redemptions set settled_at = ${past} where id = ${redemption.id}`.execute(
    database,
  );
  return { ...redemption, gift, merchant };
}

const runExpiry = () =>
  scene.stack.temporal.client.workflow.execute('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });

test('a message that was left behind is found by its redemption, and by who was paid', async () => {
  const { gift, merchant, serial_number, platform_reference, payment_reference } =
    await unconfirmed();
  await runExpiry();
  const attributes = await startedWith('finish-message', `Reference = "${platform_reference}"`);
  hasAll('finish-message', attributes);
  expect(attributes).toEqual({
    Operation: 'finish-message',
    Summary: expect.stringMatching(/^Orphaned message \d+$/),
    PartnerId: String(scene.partner.id),
    MerchantId: String(merchant.id),
    VoucherSerial: serial_number,
    NumberHash: scene.stack.digests.numberHash(gift.owner ?? ''),
    Reference: [platform_reference, payment_reference],
  });
});

test('deliveries to a webhook are found by its company', async () => {
  const { url } = await webhooks.receiver();
  await webhooks.register(url);
  await webhooks.addEvents(['voucher:1']);
  const attributes = await createStarts(webhooks.stack).startedWith('deliver-webhooks');
  hasAll('deliver-webhooks', attributes);
  expect(attributes).toEqual({
    Operation: 'deliver-webhooks',
    Summary: expect.stringMatching(/^Webhook \d+ of partner \d+$/),
    PartnerId: String(webhooks.partner.id),
  });
});

test('a check of a payout account is found by its merchant', async () => {
  const { merchant } = await scene.payee('merchant');
  await scene.stack.api.services.workflows.call(
    calls.checkPayoutAccount,
    { merchantId: merchant.id },
    Date.now() + 60_000,
  );
  const attributes = await startedWith('check-payout-account', `MerchantId = "${merchant.id}"`);
  expect(attributes).toEqual({
    Operation: 'check-payout-account',
    Summary: `Payout account of merchant ${merchant.id}`,
    MerchantId: String(merchant.id),
  });
});

test('the guide for support says of each operation what its workflow is found by', () => {
  const guide = readFileSync('docs/guides/support.md', 'utf8');
  const [, table = ''] = guide.split('A workflow has these from its start');
  const missing = Object.keys(expected).filter((operation) => !table.includes(`\`${operation}\``));
  expect(missing).toEqual([]);
});

test('the server takes every query that the guide for support gives', async () => {
  const guide = readFileSync('docs/guides/support.md', 'utf8');
  const { client } = scene.stack.temporal;
  const found = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    const mine = `TaskQueue = "${scene.stack.config.temporal.temporalTaskQueue}"`;
    for await (const { workflowId } of client.workflow.list({ query: `${mine} AND ${query}` }))
      ids.push(workflowId);
    return ids;
  };
  const [, section = ''] = guide.split('## Queries in the Temporal UI');
  const [table = ''] = section.split('A workflow has these from its start');
  const views = [
    ...table.matchAll(/^\| ([^|`]+) \| \[`([^`]+)`\]\((\S+)\) \| \[Save\]\((\S+)\) \|/gm),
  ];
  expect(views.length).toBeGreaterThan(5);
  for (const [, view = '', query = '', link = '', save = ''] of views) {
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({ query });
    expect(Object.fromEntries(new URL(save).searchParams)).toEqual({ query, savedQuery: view });
    await found(`(${query})`);
  }
  const queries = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, query = '']) => query),
  );
  expect(queries.length).toBeGreaterThan(5);
  for (const query of queries) await found(`(${query})`);
  await until(async () =>
    expect(await found('(Operation = "claim" AND ExecutionStatus = "Running")')).toEqual([]),
  );
  await expect(found('(NoSuchAttribute = "1")')).rejects.toThrow();
});
