import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OwnTemporal, startOwnTemporal } from '../../harness/own-temporal.ts';
import { call, partnerClient } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { GENERATE } from '../gift/gift-scene.ts';
import { setRedemptionScene } from '../gift/redemption-scene.ts';
import { startBalancer } from '../processes/balancer.ts';

let temporal: OwnTemporal;
beforeEach(async () => {
  temporal = await startOwnTemporal();
});
afterEach(() => temporal?.stop());

it('without Temporal, the balancer leads to APIs that log in, read and refuse changes themselves', async () => {
  const scene = await setRedemptionScene({
    TEMPORAL_ADDRESS: temporal.address,
    CALLER_WAIT_SECONDS: '1',
  });
  const { stack, partner } = scene;
  await scene.gift();
  const balancer = await startBalancer([stack.api.port]);
  await until(() => expect(balancer.isReady(stack.api.port)).toBe(true));

  await temporal.kill();
  await until(async () =>
    expect(await call(`${stack.url}/health/ready`)).toMatchObject({
      status: 200,
      body: { status: 'up', checks: { temporal: { status: 'down' } } },
    }),
  );
  const throughBalancer = { ...stack, url: `http://127.0.0.1:${balancer.port}` };
  const client = await partnerClient(throughBalancer, partner);
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

  await temporal.startAgain('empty');
  await until(async () =>
    expect((await call(`${stack.url}/health/ready`)).body.checks.temporal.status).toBe('up'),
  );
  await until(() => scene.gift());
  await balancer.stop();
  await scene.stop();
});
