import { once } from 'node:events';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { freePort } from '../../../src/local/processes.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { type Answer, call } from '../../support/clients.ts';
import type { TestMerchant } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { CLAIM, REDEEM } from '../gift/gift-scene.ts';
import { createCanary, secretsInDatabase, secretsInHistories } from './canary.ts';
import { type ProcessGifts, sellGifts, untilAnswered } from './process-gifts.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';

const SECRET_SETTINGS = [
  'ACCESS_TOKEN_PRIVATE_KEY',
  'DIGEST_KEY',
  'DATA_KEYS',
  'PAYLOAD_KEYS',
  'COPY_KEYS',
];

/** The tests are one story: each takes up where the one before has left the processes. */
let scene: ProcessScene;
let gifts: ProcessGifts;
let sandbox: ServiceProcess;
let worker: ServiceProcess;
let api: ServiceProcess;
let stack: Stack;
/** Each process has the rights of its own role only. */
let asWorker: Environment;
let asApi: Environment;

/** Whatever must be nowhere in clear, from the first key to the last signature. */
const canary = createCanary();

beforeAll(async () => {
  scene = await setProcessScene();
  for (const name of [...SECRET_SETTINGS, 'SMS_API_KEY', 'MOBILE_MONEY_SECRET'])
    canary.add('setting', (scene.settings[name] ?? '').replace(/^[\w-]+:/, ''));
  sandbox = scene.start('sandbox');
  expect(await scene.start('migrate').ended).toBe(0);
  gifts = await sellGifts(scene, canary, () => stack);
  asWorker = {
    DATABASE_URL: await scene.databaseUrlFor('worker'),
    WORKER_HEALTH_PORT: String(await freePort()),
  };
  asApi = { DATABASE_URL: await scene.databaseUrlFor('api') };
  worker = scene.start('worker', asWorker);
  await Promise.all([
    startApi(),
    worker.logged('Worker is running'),
    until(async () => expect(await isListening(scene.sandboxUrl)).toBe(true)),
  ]);
});
afterAll(() => scene?.stop());

async function startApi(): Promise<void> {
  api = scene.start('api', asApi);
  const { port } = await api.logged('API is listening');
  stack = scene.stackAt(port);
}

async function expectPaidOnce(merchant: TestMerchant, answer: Answer): Promise<void> {
  expect(answer.body).toMatchObject({ success: true, statusCode: 200 });
  const payouts = await scene.payoutsTo(merchant.payoutNumber);
  expect(payouts.map(({ status }) => status)).toEqual(['completed']);
  const redemptions = await scene.database
    .selectFrom('redemptions')
    .select(['status', 'platform_reference'])
    .where('merchant_id', '=', merchant.id)
    .execute();
  const platform_reference = answer.body.data.platformReferenceNumber;
  expect(redemptions).toEqual([{ status: 'POSTED', platform_reference }]);
}

async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('the processes', () => {
  test('carry a voucher from its generation to its redemption', async () => {
    const merchant = await gifts.makeShop('000');
    const redeem = await gifts.claim(merchant);
    await expectPaidOnce(merchant, await untilAnswered(redeem));
  });

  test('say whether they live, and whether they can work', async () => {
    const addresses = [stack.url, `http://127.0.0.1:${asWorker.WORKER_HEALTH_PORT}`];
    const answers = (path: string) => Promise.all(addresses.map((url) => call(url + path)));
    expect((await answers('/health/live')).map(({ status }) => status)).toEqual([200, 200]);
    const up = { status: 'up', milliseconds: expect.any(Number) };
    const shared = { database: up, temporal: up };
    const ready = [shared, { ...shared, worker: up }].map((checks) => ({
      status: 200,
      body: { status: 'up', checks },
    }));
    expect(await answers('/health/ready')).toMatchObject(ready);

    // As it is for a new release until its migration has run.
    const newest = sql`name = (select max(name) from kysely_migration)`;
    await sql`update kysely_migration set name = name || '?' where ${newest}`.execute(
      scene.database,
    );
    await until(async () => {
      const body = { status: 'down', checks: { database: { status: 'down' }, temporal: up } };
      expect(await answers('/health/ready')).toMatchObject(
        ready.map(() => ({ status: 503, body })),
      );
    });
    expect((await answers('/health/live')).map(({ status }) => status)).toEqual([200, 200]);
    await sql`update kysely_migration set name = rtrim(name, '?')`.execute(scene.database);
    await until(async () => expect(await answers('/health/ready')).toMatchObject(ready));
    expect(scene.output()).not.toContain('/health/');
  });

  test.each(['api', 'worker'] as const)('%s does not start without secrets', async (name) => {
    const none = Object.fromEntries(SECRET_SETTINGS.map((setting) => [setting, undefined]));
    const started = scene.start(name, none);
    expect(await started.ended).toBe(1);
    const lines = SECRET_SETTINGS.filter(
      (setting) => setting !== 'COPY_KEYS' || name === 'api',
    ).map((setting) => `  ${setting}: is not set`);
    expect(started.output()).toBe(`Settings are missing or wrong:\n${lines.join('\n')}\n`);
  });

  test('refuse without saying what was sent', async () => {
    const merchant = await gifts.makeShop('006');
    const redeem = await gifts.claim(merchant);
    expect((await untilAnswered(redeem)).body.statusCode).toBe(5031);

    const unreachable = await gifts.generate(merchant, '002');
    const again = { voucherCode: unreachable.voucherCode, idempotencyKey: 'unreachable' };
    const refusedClaim = await untilAnswered(() => gifts.postSigned(merchant, CLAIM, again));
    expect(refusedClaim.body.statusCode).toBe(5003);

    const { base, token } = await gifts.asPartner();
    const refused = [
      call(`${base}/auth/login`, { body: { key: `${gifts.partner.apiKey}x` } }),
      call(`${base}/merchants`, { headers: { 'x-api-token': `${token}x` } }),
      call(`${base}/${unreachable.voucherCode}`, { headers: { 'x-api-token': token } }),
      call(`${base}${REDEEM}`, {
        body: `{"key":"${gifts.partner.apiKey}`,
        headers: { 'x-api-token': token },
      }),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([401, 401, 404, 400]);
  });

  test('stop when they are told to: what is under way is answered, and nothing stays', async () => {
    const merchant = await gifts.makeShop('014');
    const redeem = await gifts.claim(merchant);
    const pending = redeem();
    await scene.payoutsTo(merchant.payoutNumber);
    const addresses = [stack.url, scene.sandboxUrl];
    expect(await Promise.all(addresses.map(isListening))).toEqual([true, true]);
    expect(await api.stop()).toBe(0);
    expect((await pending).body.statusCode).toBe(4092);
    expect(await Promise.all([worker.stop(), sandbox.stop()])).toEqual([0, 0]);
    for (const process of [api, worker]) {
      await process.logged('The process stops');
      await process.logged('The process has stopped');
    }
    expect(await Promise.all(addresses.map(isListening))).toEqual([false, false]);
  });

  test('leave the ledger whole', async () => {
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
  });

  test('write no secret to their output', () => {
    const output = scene.output();
    expect(output).toContain('"route":"/api/v1/merchant/client/topup-transactions/redeem-gift"');
    expect(canary.foundIn(output)).toEqual([]);
  });

  test('store secrets only where they belong', async () => {
    expect(await secretsInDatabase(scene.database, canary)).toEqual([
      'merchant_payout_accounts.party_value: payout number',
      'merchants.phone: merchant number',
      'redemptions.payee: payout number',
    ]);
  });

  test('give Temporal no secret in clear', async () => {
    const vouchers = await scene.database.selectFrom('vouchers').select('operation_id').execute();
    const claims = await scene.database
      .selectFrom('voucher_claims')
      .select('workflow_id')
      .execute();
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_TASK_QUEUE: taskQueue = '' } = scene.settings;
    const { found, workflowIds } = await secretsInHistories({ address, taskQueue }, canary);
    expect(workflowIds).toEqual(
      expect.arrayContaining([
        ...vouchers.map(({ operation_id }) => generateVoucherId(operation_id)),
        ...claims.map(({ workflow_id }) => workflow_id ?? ''),
      ]),
    );
    expect(found).toEqual([]);
  });
});
