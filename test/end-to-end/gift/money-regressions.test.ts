import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeMerchant } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { done, newOwner, REDEEM, repeated } from './gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  redeemToEnd,
  setRedemptionScene,
} from './redemption-scene.ts';

/** Faults of vouchers and redemptions that were found once and must not come back. */
let scene: RedemptionScene;

beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '2' });
});
afterAll(() => scene?.stop());

const anonymousGift = () => scene.gift({ owner: null, isRestricted: false });

it.concurrent('a redemption that arrives while the last message is being sent is carried to its end', async () => {
  const quick = await makeMerchant(scene.stack);
  const slow = await makeMerchant(scene.stack, { payoutSuffix: '014' });
  const gift = await anonymousGift();
  const msisdn = newOwner('300');
  // The fee of 2.5 % comes on top of a part that is redeemed.
  const first = { amount: 10, merchantId: quick.id, msisdn };
  done(await redeemToEnd(scene.asPartner, gift, first));
  const second = { amount: 20, merchantId: slow.id };
  expect((await redeem(scene.asPartner, gift, second)).status).toBe(409);

  // The confirmation of the first ends, and with it all that its workflow itself still had to do.
  await until(async () => {
    const message = await scene.stack.database
      .selectFrom('messages')
      .select('status')
      .where(isNumber(scene.stack, 'msisdn', msisdn))
      .executeTakeFirstOrThrow();
    expect(message.status).toBe('SENT');
  });
  expect(Number((await scene.voucher(gift)).held)).toBe(20.5);
  await scene.settlePayout(slow, 'completed');
  await scene.untilStatus(gift, 'ACTIVE');
  const voucher = await scene.voucher(gift);
  expect([Number(voucher.held), Number(voucher.remaining)]).toEqual([0, 69.25]);
  expect(scene.amountsPaidTo(quick)).toEqual(['10.00 completed']);
  expect(scene.amountsPaidTo(slow)).toEqual(['20.00 completed']);
  expect(await scene.postedRedemptions(gift)).toHaveLength(2);
});

it.concurrent('those without a key who were told to ask again get the answer, and a later request is a new one', async () => {
  const slow = await makeMerchant(scene.stack, { payoutSuffix: '014' });
  const gift = await anonymousGift();
  const request = { amount: 20, merchantId: slow.id };
  const first = await redeem(scene.asPartner, gift, request);
  expect(first.status).toBe(409);
  await scene.settlePayout(slow, 'completed');
  await scene.untilStatus(gift, 'ACTIVE');

  const [payout] = scene.payoutsTo(slow);
  const second = done(await repeated(() => redeem(scene.asPartner, gift, request)));
  const [posted] = await scene.postedRedemptions(gift);
  expect(second.body.data.referenceNumber).toBe(posted?.provider_reference);
  // Nothing tells several callers apart: whoever was told to repeat has a minute from then on.
  const third = done(await repeated(() => redeem(scene.asPartner, gift, request)));
  expect(third.body.data.referenceNumber).toBe(posted?.provider_reference);
  expect(scene.payoutsTo(slow)).toEqual([payout]);

  await scene.stack.database
    .updateTable('left_requests')
    .set({ taken_at: sql<Date>`taken_at - interval '61 seconds'` })
    .execute();
  expect((await redeem(scene.asPartner, gift, request)).status).toBe(409);
  await scene.settlePayout(slow, 'completed');
  await scene.untilStatus(gift, 'ACTIVE');
  expect(scene.amountsPaidTo(slow)).toEqual(['20.00 completed', '20.00 completed']);
  expect(await scene.postedRedemptions(gift)).toHaveLength(2);
});

it.concurrent('a repetition without a key gets its own answer, not that of the same request under a key', async () => {
  const slow = await makeMerchant(scene.stack, { payoutSuffix: '014' });
  const gift = await anonymousGift();
  const request = { amount: 20, merchantId: slow.id };
  expect((await redeem(scene.asPartner, gift, request)).status).toBe(409);
  await scene.settlePayout(slow, 'completed');
  await scene.untilStatus(gift, 'ACTIVE');
  const { voucherCode } = gift;
  const keyed = () =>
    scene.asPartner.post(REDEEM, { voucherCode, ...request }, { 'Idempotency-Key': 'another' });
  expect((await keyed()).status).toBe(409);
  await until(() => expect(scene.payoutsTo(slow)).toHaveLength(2));
  await scene.settlePayout(slow, 'completed');
  const other = done(await repeated(keyed));
  const own = done(await repeated(() => redeem(scene.asPartner, gift, request)));
  expect([own, other].map(({ body }) => body.data.referenceNumber)).toEqual(
    (await scene.postedRedemptions(gift)).map((posted) => posted.provider_reference),
  );
  expect(scene.payoutsTo(slow)).toHaveLength(2);
});

it('another amount than the claimed one is refused and nothing moves', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  const verificationCode = await scene.claimed(client, gift);
  const before = await scene.holdings();
  const answer = await client.post(REDEEM, {
    voucherCode: gift.voucherCode,
    verificationCode,
    amount: 20,
  });
  expect([answer.status, answer.body.statusCode]).toEqual([400, 400]);
  expect(await scene.holdings()).toEqual(before);

  // The claim still stands for what was claimed.
  done(await redeemToEnd(client, gift, { verificationCode, amount: 100 }));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
});
