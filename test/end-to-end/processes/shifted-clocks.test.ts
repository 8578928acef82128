import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { CLAIM } from '../gift/gift-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { createCanary } from './canary.ts';
import { type ProcessGifts, sellGifts, untilAnswered } from './process-gifts.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';
import { shiftedClock } from './shifted-clock.ts';

/**
 * Clocks that are ten minutes wrong. What is due, and what has expired, is the database's and
 * Temporal's to say, so that no money moves early, late or twice. An API with a wrong clock refuses the
 * tokens and signatures of others, and moves nothing.
 */
const TEN_MINUTES = 600;

let scene: ProcessScene;
let gifts: ProcessGifts;
let stack: Stack;
beforeAll(async () => {
  scene = await setProcessScene();
  scene.start('sandbox');
  expect(await scene.start('migrate').ended).toBe(0);
  gifts = await sellGifts(scene, createCanary(), () => stack);
  stack = await startApi();
});
afterAll(() => scene?.stop());

async function startApi(clock: Environment = {}): Promise<Stack> {
  const { port } = await scene.start('api', clock).logged('API is listening');
  return scene.stackAt(port);
}

const voucherOf = (owner: string) =>
  scene.database
    .selectFrom('vouchers')
    .leftJoin('voucher_claims', 'voucher_claims.id', 'current_claim_id')
    .select(['vouchers.status', 'voucher_claims.status as claim'])
    .where(isNumber(scene.stackAt(0), 'owner_msisdn', owner))
    .executeTakeFirstOrThrow();

const dueIn = (owner: string, time: string) =>
  sql`update vouchers set expires_at = clock_timestamp() + ${time}::interval
    where ${isNumber(scene.stackAt(0), 'owner_msisdn', owner)}`.execute(scene.database);

test.each([
  ['ahead', TEN_MINUTES],
  ['behind', -TEN_MINUTES],
])('a worker whose clock is ten minutes %s moves money when it is due', async (_name, seconds) => {
  const worker = scene.start('worker', {
    ...shiftedClock(seconds),
    EXPIRY_RUN_INTERVAL_SECONDS: '1',
    RECONCILE_INTERVAL_SECONDS: '1',
  });
  await worker.logged('Worker is running');

  const merchant = await gifts.makeShop('000');
  const redeem = await gifts.claim(merchant);
  expect((await untilAnswered(redeem)).body).toMatchObject({ statusCode: 200 });
  const payouts = await scene.payoutsTo(merchant.payoutNumber);
  expect(payouts.map(({ status }) => status)).toEqual(['completed']);

  const shop = await gifts.makeShop('000');
  const [early, due, claimed] = [
    await gifts.generate(shop),
    await gifts.generate(shop),
    await gifts.generate(shop),
  ];
  const claim = { voucherCode: claimed.voucherCode };
  const client = await untilAnswered(() => gifts.postSigned(shop, CLAIM, claim));
  expect(client.body).toMatchObject({ statusCode: 200 });
  await dueIn(early.msisdn, '5 minutes');
  await dueIn(due.msisdn, '-1 second');
  await until(async () => expect(await voucherOf(due.msisdn)).toMatchObject({ status: 'EXPIRED' }));
  expect(await voucherOf(early.msisdn)).toMatchObject({ status: 'ACTIVE' });
  expect(await voucherOf(claimed.msisdn)).toEqual({ status: 'REDEEM_INITIATED', claim: 'OPEN' });
  expect(await findBrokenInvariants(scene.database)).toEqual([]);
  expect(await worker.stop()).toBe(0);
});

test('an API whose clock is ten minutes ahead or behind refuses signatures, and moves nothing', async () => {
  const worker = scene.start('worker');
  await worker.logged('Worker is running');
  const shop = await gifts.makeShop('000');
  const { voucherCode, msisdn } = await gifts.generate(shop);
  const right = stack;
  for (const seconds of [TEN_MINUTES, -TEN_MINUTES]) {
    // Its own tokens are good where they were made.
    stack = await startApi(shiftedClock(seconds));
    const refused = await gifts.postSigned(shop, CLAIM, { voucherCode });
    stack = right;
    expect(refused).toMatchObject({ status: 401 });
    expect(refused.body.message).toMatch(/clock|time/);
    expect(await voucherOf(msisdn)).toEqual({ status: 'ACTIVE', claim: null });
  }
  expect(await worker.stop()).toBe(0);
});
