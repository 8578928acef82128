import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import { registerWebhook } from '../../../src/operations/webhooks.ts';
import * as searchAttributes from '../../../workflows/search-attributes.ts';
import { checkBooksId, expireVouchersId, reconcileId } from '../../../workflows/workflow-ids.ts';
import { type OwnTemporal, startOwnTemporal } from '../../harness/own-temporal.ts';
import { startRawServer } from '../../providers/raw-server.ts';
import { call, partnerClient } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until, within } from '../../support/until.ts';
import { GENERATE, newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { startBalancer } from '../processes/balancer.ts';
import { AIRTIME, sale } from '../topups/topup-scene.ts';

/**
 * Temporal dies while everything is under way, is away, and comes back empty: one story, each test takes up where the
 * one before ended. The durations are those of production, where tests have others.
 */
const DEFAULTS = {
  TEMPORAL_UPKEEP_SECONDS: '30',
  RECONCILE_INTERVAL_SECONDS: '300',
  EXPIRY_RUN_INTERVAL_SECONDS: '300',
  WEBHOOK_DISPATCH_SECONDS: '0.5',
  EVENT_NUMBERING_SECONDS: '0.5',
};

let temporal: OwnTemporal;
let scene: RedemptionScene;
let webhook: Awaited<ReturnType<typeof refusedWebhook>>;
let underWay: Awaited<ReturnType<typeof begin>>;
let letBulkGoOn = () => {};

beforeAll(async () => {
  temporal = await startOwnTemporal();
  let gate: Promise<void> | undefined = new Promise((resolve) => {
    letBulkGoOn = () => {
      gate = undefined;
      resolve();
    };
  });
  scene = await setRedemptionScene(
    {
      ...DEFAULTS,
      TEMPORAL_ADDRESS: temporal.address,
      CALLER_WAIT_SECONDS: '2',
      WEBHOOK_PRIVATE_NETWORKS: 'on',
    },
    { failpoint: (name) => (name === 'bulk-begun' ? gate : undefined) },
  );
  webhook = await refusedWebhook(scene);
  underWay = await begin();
  await temporal.kill();
});
afterAll(async () => {
  await scene?.stop();
  await webhook?.close();
  await temporal?.stop();
});

/** A payment and a top-up whose ends only their providers know, a claim, a bulk order, and an event for a webhook. */
async function begin() {
  const { stack } = scene;
  await makeTopupProducts(stack, scene.partner);
  await deposit(stack, scene.partner.id, '10000', 'airtime');
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
  const held = await scene.gift({ merchant });
  const code = await scene.claimed(client, held);
  expect((await redeem(client, held, { verificationCode: code })).body.statusCode).toBe(4092);
  const { merchant: shop, client: till } = await scene.payee('merchant');
  const claimed = await scene.gift({ merchant: shop, owner: newOwner() });
  const verificationCode = await scene.claimed(till, claimed);
  await scene.asPartner.post(AIRTIME, { amount: 50, msisdn: '+251911778014', ...sale });
  await until(async () => expect(await statusOfTopup()).toBe('UNKNOWN'));
  const bulk = await scene.asPartner.post('/vouchers/bulk', { lines: linesOf(20) });
  expect(bulk.body.success).toBe(true);
  await until(() => expect(webhook.refused()).toBeGreaterThan(0));
  const redemption = { verificationCode, idempotencyKey: randomUUID() };
  const bulkPath = `/bulk-orders/${bulk.body.data.bulkOrder.id}`;
  return { merchant, held, shop, redeemClaimed: () => redeem(till, claimed, redemption), bulkPath };
}

const health = () => call(`${scene.stack.url}/health/ready`);

it('without Temporal, the balancer leads to the API, which logs in, reads and refuses changes itself', async () => {
  const { stack, partner } = scene;
  await until(async () =>
    expect(await health()).toMatchObject({
      status: 200,
      body: {
        status: 'up',
        checks: { database: { status: 'up' }, temporal: { status: 'down' } },
      },
    }),
  );
  const balancer = await startBalancer([stack.api.port]);
  await until(() => expect(balancer.isReady(stack.api.port)).toBe(true));
  const client = await partnerClient(
    { ...stack, url: `http://127.0.0.1:${balancer.port}` },
    partner,
  );
  expect((await client.get('/info/get-current-balance')).status).toBe(200);
  expect((await client.get('/vouchers')).body).toMatchObject({ statusCode: 200 });
  const refused = await client.post(GENERATE, {
    denominationId: partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: null,
  });
  expect(refused.body.success).toBe(false);
  // 409: Temporal did not answer in the caller's time, and may have begun.
  expect([409, 503]).toContain(refused.body.statusCode);
  expect(balancer.broken).toEqual([]);
  await balancer.stop();
});

it('all that was under way is done within a minute after Temporal has come back empty', async () => {
  const { stack } = scene;
  const { merchant, held, shop, redeemClaimed, bulkPath } = underWay;
  await scene.settlePayout(merchant, 'completed');
  const [attempt] = stack.sandbox.books.topups({ to: '+251911778014' });
  await call(`${stack.sandbox.url}/books/topups/${attempt?.reference}`, {
    body: { status: 'completed' },
  });
  letBulkGoOn();
  webhook.accept();
  await temporal.startAgain('empty');
  const backAt = performance.now();
  const withinTheMinute = (condition: () => Promise<void>) =>
    within(60 - (performance.now() - backAt) / 1_000, condition);

  await withinTheMinute(async () => expect((await redeemClaimed()).body.statusCode).toBe(200));
  await withinTheMinute(async () =>
    expect(await scene.voucher(held)).toMatchObject({ status: 'REDEEMED' }),
  );
  await withinTheMinute(async () => expect(await statusOfTopup()).toBe('SUCCESS'));
  await withinTheMinute(async () => {
    const { body } = await scene.asPartner.get(bulkPath);
    expect(body.data.bulkOrder).toMatchObject({ endedAt: expect.any(String), generated: 20 });
  });
  await withinTheMinute(async () => expect(webhook.accepted()).toBeGreaterThan(0));

  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  expect(scene.amountsPaidTo(shop)).toEqual(['97.50 completed']);
  expect(stack.sandbox.books.topups({ to: '+251911778014' })).toHaveLength(1);
});

it('Schedules and search attributes have come back, and new work is done as ever', async () => {
  const { temporal: connected, config } = scene.stack;
  for (const idOf of [expireVouchersId, reconcileId, checkBooksId])
    await until(() =>
      connected.client.schedule.getHandle(idOf(config.temporal.temporalTaskQueue)).describe(),
    );
  const connection = await Connection.connect({ address: temporal.address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({
    namespace: 'default',
  });
  await connection.close();
  expect(Object.keys(customAttributes ?? {})).toEqual(
    expect.arrayContaining(Object.values(searchAttributes).map(({ name }) => name)),
  );
  await until(async () =>
    expect(await health()).toMatchObject({
      status: 200,
      body: { checks: { temporal: { status: 'up' } } },
    }),
  );
  await scene.redeemed(scene.asMerchant, await scene.gift());
});

const linesOf = (count: number) =>
  Array.from({ length: count }, (_, place) => ({
    reference: `line-${place}`,
    denominationId: scene.partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: null,
  }));

async function statusOfTopup(): Promise<string> {
  const { status } = await scene.stack.database
    .selectFrom('topups')
    .select('status')
    .executeTakeFirstOrThrow();
  return status;
}

/** A webhook of the partner whose receiver refuses until it is told to accept. */
async function refusedWebhook({ stack, partner }: RedemptionScene) {
  let accepts = false;
  let [accepted, refused] = [0, 0];
  const server = await startRawServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (accepts) accepted += 1;
      else refused += 1;
      response.writeHead(accepts ? 200 : 500).end();
    });
  });
  await stack.database.transaction().execute((transaction) =>
    registerWebhook(
      transaction,
      {
        company: { kind: 'partner', id: partner.id },
        url: server.url,
        description: '',
        types: [],
        createdBy: 'test',
      },
      { secretBox: createSecretBox(stack.config.secrets.dataKeys), settings: stack.config },
    ),
  );
  return {
    accepted: () => accepted,
    refused: () => refused,
    accept: () => {
      accepts = true;
    },
    close: () => server.close(),
  };
}
