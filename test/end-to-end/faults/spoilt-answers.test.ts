import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gsmaPaths } from '../../../src/sandbox/gsma/router.js';
import { deposit } from '../../support/companies.js';
import { makeSpoilingWay, type Spoil, spoils } from '../../support/spoiling-way.js';
import { makeTopupProducts } from '../../support/topups.js';
import { done, newOwner } from '../gift/gift-scene.js';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.js';
import { sale } from '../topups/topup-scene.js';

/**
 * Providers that do what they are asked for and whose answer is then lost on its way (F20, F23): the
 * caller gets its result all the same, the same one when it repeats, and it is done exactly once.
 */
let scene: RedemptionScene;
let way: Awaited<ReturnType<typeof makeSpoilingWay>>;
beforeAll(async () => {
  way = await makeSpoilingWay();
  scene = await setRedemptionScene({
    CALLER_WAIT_SECONDS: '15',
    MOBILE_MONEY_URL: `${way.url}/gsma${gsmaPaths.api}`,
    MOBILE_MONEY_TIMEOUT_SECONDS: '1',
    AIRTIME_URL: `${way.url}/dt-one/v1`,
    AIRTIME_TIMEOUT_SECONDS: '1',
  });
  way.setTarget(scene.stack.sandbox.url);
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '1000', 'airtime');
});
afterAll(async () => {
  await scene?.stop();
  await way?.close();
});

const rows = Object.entries(spoils);

describe('an order that is answered by', () => {
  test.each(rows)('%s: the merchant is paid once', async (_what, spoil: Spoil) => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift, { amount: 40 });
    const idempotencyKey = randomUUID();
    const send = () => redeem(client, gift, { verificationCode, idempotencyKey });
    way.spoilWith(spoil);
    const first = done(await send());
    way.spoilWith(undefined);
    expect((await send()).body).toEqual(first.body);
    expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
    const [posted] = await scene.postedRedemptions(gift);
    expect(first.body.data.referenceNumber).toBe(posted?.provider_reference);
    expect(scene.payoutsTo(merchant)).toHaveLength(1);
  });

  test.each(rows)('%s: the airtime is delivered and charged once', async (_what, spoil: Spoil) => {
    const msisdn = newOwner();
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = () =>
      scene.asPartner.post(
        '/topup-transactions/airtime-topup',
        { amount: 50, msisdn, ...sale },
        headers,
      );
    const before = (await scene.balances()).walletBalance;
    way.spoilWith(spoil);
    const first = done(await send());
    way.spoilWith(undefined);
    expect(first.body.data.status).toBe('SUCCESS');
    expect((await send()).body).toEqual(first.body);
    const delivered = scene.stack.sandbox.books
      .topups({ to: msisdn })
      .map(({ amount, status }) => [Number(amount), status]);
    expect(delivered).toEqual([[50, 'completed']]);
    expect((await scene.balances()).walletBalance).toBe(before - 50);
  });
});

test.each(['002', '006', '008', '009', '019'])(
  'a confirmation that cannot be delivered (%s) changes nothing of its redemption',
  async (suffix) => {
    const gift = await scene.gift({ owner: null });
    done(await redeem(scene.asMerchant, gift, { amount: 40, msisdn: newOwner(suffix) }));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '59.000000' });
  },
);
