import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../../../src/api.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { connectTemporal } from '../../../src/runtime/temporal/connection.ts';
import { temporalServerOf } from '../../../src/runtime/temporal/temporal-server.ts';
import { startWorker } from '../../../src/worker.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import { done, GENERATE, type Gift, newOwner, settled } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  redeemToEnd,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { merchantClient, partnerClient } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { connectRaw, type RawTemporal } from './raw-history.ts';

/**
 * The steps of docs/guides/rotate-secrets.md for PAYLOAD_KEYS, in their order, while a payment is open
 * and a claim waits for its code.
 */
const oldKey = { id: 'old-payload-key', key: randomBytes(32) };
const newKey = { id: 'new-payload-key', key: randomBytes(32) };

let scene: RedemptionScene;
let raw: RawTemporal;
let running: Running | undefined;
beforeAll(async () => {
  scene = await setRedemptionScene({
    PAYLOAD_KEYS: `${oldKey.id}:${oldKey.key.toString('base64')}`,
    CALLER_WAIT_SECONDS: '1',
  });
  raw = await connectRaw(scene.stack.config.temporal.temporalAddress);
});
afterAll(async () => {
  await running?.stop();
  await raw?.close();
  await scene?.stop();
});

type Running = Awaited<ReturnType<typeof startWith>>;

/** An API and a worker with these keys. */
async function startWith(payloadKeys: (typeof oldKey)[]) {
  const { secrets } = scene.stack.config;
  const config = { ...scene.stack.config, secrets: { ...secrets, payloadKeys } };
  const logger = createLogger('silent', 'test');
  const temporal = await connectTemporal({
    ...temporalServerOf(config.temporal),
    payloadKeys,
  });
  const worker = await startWorker(config, temporal, { logger });
  const api = await startApi(config, temporal, { logger, eager: true });
  return {
    url: `http://127.0.0.1:${api.port}`,
    workflows: temporal.client.workflow,
    async stop() {
      await api.stop();
      await worker.stop();
      await temporal.connection.close();
    },
  };
}

/** Processes with these keys, and then no others. */
async function replaceBy(...keys: (typeof oldKey)[]): Promise<Running> {
  const next = await startWith(keys);
  await running?.stop();
  running = next;
  return next;
}

const claimOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('voucher_claims')
    .innerJoin('vouchers', 'vouchers.id', 'voucher_claims.voucher_id')
    .select(['voucher_claims.workflow_id', 'vouchers.operation_id'])
    .where('vouchers.id', '=', id)
    .executeTakeFirstOrThrow();

test('the keys of payloads are rotated while money is on hold', async () => {
  const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
  const paid = await scene.gift({ merchant, owner: null });
  // Its answer is that of a payment which is open for longer than callers wait.
  redeem(scene.asPartner, paid).catch(() => undefined);
  await scene.untilPaidTo(merchant);
  const waiting = await scene.gift({ owner: newOwner() });
  const code = await scene.claimed(scene.asMerchant, waiting);

  running = {
    url: scene.stack.url,
    workflows: scene.stack.temporal.client.workflow,
    stop: async () => {
      await scene.stack.api.stop();
      await scene.stack.worker.stop();
    },
  };
  await replaceBy(oldKey, newKey);
  const { url, workflows } = await replaceBy(newKey, oldKey);
  await scene.settlePayout(merchant, 'completed');
  await until(async () => expect(await scene.postedRedemptions(paid)).toHaveLength(1));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  const client = await merchantClient({ url }, scene.merchant);
  done(await redeemToEnd(client, waiting, { verificationCode: code }));
  const { workflow_id: workflowId } = await claimOf(waiting);
  const text = await raw.textOf(workflowId ?? '');
  for (const { id } of [oldKey, newKey]) expect(text).toContain(id);
  await workflows.getHandle(workflowId ?? '').result();

  // No history of a workflow that runs needs the old key any more.
  const last = await replaceBy(newKey);
  const partner = await partnerClient(last, scene.partner);
  const generated = done(
    await settled(partner, GENERATE, {
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn: newOwner(),
      isRestricted: true,
    }),
  );
  const { operation_id: operationId } = await scene.stack.database
    .selectFrom('vouchers')
    .select('operation_id')
    .where('id', '=', generated.body.data.voucher.id)
    .executeTakeFirstOrThrow();
  const newest = await raw.textOf(generateVoucherId(operationId));
  expect(newest).toContain(newKey.id);
  expect(newest).not.toContain(oldKey.id);
});
