import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import { registerWebhook } from '../../../src/operations/webhooks.ts';
import { type OwnTemporal, startOwnTemporal } from '../../harness/own-temporal.ts';
import { startRawServer } from '../../providers/raw-server.ts';
import { call } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { AIRTIME, sale } from '../topups/topup-scene.ts';

/** As in production, where tests have others. */
const DEFAULTS = {
  TEMPORAL_UPKEEP_SECONDS: '30',
  RECONCILE_INTERVAL_SECONDS: '300',
  EXPIRY_RUN_INTERVAL_SECONDS: '300',
  WEBHOOK_DISPATCH_SECONDS: '0.5',
  EVENT_NUMBERING_SECONDS: '0.5',
};
const MINUTE_MS = 60_000;

let temporal: OwnTemporal;
beforeEach(async () => {
  temporal = await startOwnTemporal();
});
afterEach(() => temporal?.stop());

it('all that was under way is done within a minute after Temporal has come back empty', async () => {
  let letBulkGoOn = () => {};
  let gate: Promise<void> | undefined = new Promise((resolve) => {
    letBulkGoOn = () => {
      gate = undefined;
      resolve();
    };
  });
  const scene = await setRedemptionScene(
    {
      ...DEFAULTS,
      TEMPORAL_ADDRESS: temporal.address,
      CALLER_WAIT_SECONDS: '2',
      WEBHOOK_PRIVATE_NETWORKS: 'on',
    },
    { failpoint: (name) => (name === 'bulk-begun' ? gate : undefined) },
  );
  const { stack } = scene;
  await makeTopupProducts(stack, scene.partner);
  await deposit(stack, scene.partner.id, '10000', 'airtime');
  const webhook = await refusedWebhook(scene);
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
  const held = await scene.gift({ merchant });
  const code = await scene.claimed(client, held);
  expect((await redeem(client, held, { verificationCode: code })).body.statusCode).toBe(4092);
  const { merchant: shop, client: till } = await scene.payee('merchant');
  const claimed = await scene.gift({ merchant: shop, owner: newOwner() });
  const verificationCode = await scene.claimed(till, claimed);
  await scene.asPartner.post(AIRTIME, { amount: 50, msisdn: '+251911778014', ...sale });
  await until(async () => expect(await statusOfTopUp(scene)).toBe('UNKNOWN'));
  const bulk = await scene.asPartner.post('/vouchers/bulk', { lines: linesOf(scene, 20) });
  expect(bulk.body.success).toBe(true);
  await until(() => expect(webhook.refused()).toBeGreaterThan(0));

  await temporal.kill();
  await scene.settlePayout(merchant, 'completed');
  const [attempt] = stack.sandbox.books.topups({ to: '+251911778014' });
  await call(`${stack.sandbox.url}/books/topups/${attempt?.reference}`, {
    body: { status: 'completed' },
  });
  letBulkGoOn();
  webhook.accept();
  await temporal.startAgain('empty');
  const backAt = performance.now();
  const withinTheMinute = <Result>(condition: () => Promise<Result> | Result) =>
    vi.waitFor(condition, { timeout: MINUTE_MS - (performance.now() - backAt), interval: 100 });

  const redemption = { verificationCode, idempotencyKey: randomUUID() };
  await withinTheMinute(async () => {
    const answer = await redeem(till, claimed, redemption);
    expect(answer.body.statusCode).toBe(200);
  });
  await withinTheMinute(async () =>
    expect(await scene.voucher(held)).toMatchObject({ status: 'REDEEMED' }),
  );
  await withinTheMinute(async () => expect(await statusOfTopUp(scene)).toBe('SUCCESS'));
  await withinTheMinute(async () => {
    const { body } = await scene.asPartner.get(`/bulk-orders/${bulk.body.data.bulkOrder.id}`);
    expect(body.data.bulkOrder).toMatchObject({ endedAt: expect.any(String), generated: 20 });
  });
  await withinTheMinute(() => expect(webhook.accepted()).toBeGreaterThan(0));
  expect(performance.now() - backAt).toBeLessThan(MINUTE_MS);

  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  expect(scene.amountsPaidTo(shop)).toEqual(['97.50 completed']);
  expect(stack.sandbox.books.topups({ to: '+251911778014' })).toHaveLength(1);
  await scene.stop();
  await webhook.close();
});

const linesOf = ({ partner, merchant }: RedemptionScene, count: number) =>
  Array.from({ length: count }, (_, place) => ({
    reference: `line-${place}`,
    denominationId: partner.denominations[100],
    merchantId: merchant.id,
    msisdn: null,
  }));

async function statusOfTopUp({ stack }: RedemptionScene): Promise<string> {
  const { status } = await stack.database
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
