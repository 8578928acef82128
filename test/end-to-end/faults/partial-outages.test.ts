import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readStartConfig } from '../../../src/config/config.js';
import { freePort } from '../../../src/embedded/port.js';
import { commandLine } from '../../../src/embedded/process-identity.js';
import { findTemporalBinary } from '../../../src/embedded/temporal-binary.js';
import { startTemporalServer } from '../../../src/embedded/temporal-server.js';
import { silentProgress as progress } from '../../../src/process/progress.js';
import { call, partnerClient } from '../../support/clients.js';
import { until } from '../../support/until.js';
import { GENERATE } from '../gift/gift-scene.js';
import { setRedemptionScene } from '../gift/redemption-scene.js';
import { startBalancer } from '../processes/balancer.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'partial-outages-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('without Temporal, the balancer leads to APIs that log in, read and refuse changes themselves', async () => {
  const { TEMPORAL_CLI_PATH: cliPath, XDG_CACHE_HOME: cacheHome } = readStartConfig();
  const binary = await findTemporalBinary({ cliPath, cacheHome, progress });
  const port = await freePort();
  const startOn = (name: string) =>
    startTemporalServer({ binary, directory: join(directory, name), port, progress });
  const first = await startOn('first');
  const scene = await setRedemptionScene({
    TEMPORAL_ADDRESS: first.address,
    CALLER_WAIT_SECONDS: '1',
  });
  const { stack, partner } = scene;
  await scene.gift();
  const balancer = await startBalancer([stack.api.port]);
  await until(() => expect(balancer.isReady(stack.api.port)).toBe(true));

  process.kill(first.pid, 'SIGKILL');
  await until(async () => expect(await commandLine(first.pid)).toBeUndefined());
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

  const second = await until(() => startOn('second'));
  await until(async () =>
    expect((await call(`${stack.url}/health/ready`)).body.checks.temporal.status).toBe('up'),
  );
  await until(() => scene.gift());
  await balancer.stop();
  await scene.stop();
  await second.stop();
}, 180_000);
