import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newestCode } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { CLAIM, type Client, done } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

let scene: RedemptionScene;

describe.concurrent('a claim', () => {
  beforeAll(async () => {
    scene = await setRedemptionScene({ CLAIM_LIFETIME_SECONDS: '1' });
  });
  afterAll(() => scene?.stop());

  test('expires: the voucher is ACTIVE, its code is dead', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    await scene.untilStatus(gift, 'ACTIVE');
    expect(await scene.voucher(gift)).toMatchObject({
      remaining: '100.000000',
      current_claim_id: null,
    });
    const late = await redeem(client, gift, { verificationCode });
    expect(late.body.statusCode).toBe(4034);
    expect(late.body.message).toContain('initiate a claim first');
    // Claims live so shortly here that one may be over before it is redeemed.
    await until(() => scene.redeemed(client, gift));
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  });

  test('that runs out while the payment is under way changes nothing of it', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    // Claims live so shortly here that one may be over before it is redeemed.
    const { waiting } = await until(async () => {
      const verificationCode = await scene.claimed(client, gift);
      const waiting = redeem(client, gift, { verificationCode });
      const isRefused = waiting.then(({ body }) => Promise.reject(new Error(body.message)));
      await Promise.race([scene.untilPaidTo(merchant), isRefused]);
      return { waiting };
    });
    await until(async () => {
      const { expires_at } = await scene.stack.database
        .selectFrom('voucher_claims')
        .select('expires_at')
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
      expect(expires_at.getTime()).toBeLessThan(Date.now() - 200);
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_PROCESSING' });
    await scene.settlePayout(merchant, 'completed');
    expect((await waiting).status).toBe(200);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
  });

  test('leaves a voucher whose date has passed to the expiry run when it expires', async () => {
    const gift = await scene.gift();
    await scene.claimed(scene.asMerchant, gift);
    await scene.expire(gift);
    await scene.untilStatus(gift, 'ACTIVE');
    await runExpiry();
    expect(await scene.voucher(gift)).toMatchObject({ status: 'EXPIRED' });
  });
});

const runExpiry = () =>
  scene.stack.temporal.client.workflow.execute('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });

describe('the expiry of vouchers', () => {
  beforeAll(async () => {
    scene = await setRedemptionScene();
  });
  afterAll(() => scene?.stop());

  test('gives what remains back to the gift wallet, once, and both APIs answer before it as after it', async () => {
    const other = await makePartner(scene.stack);
    const before = await scene.balances();
    const whole = await scene.gift({ denomination: 1000 });
    const part = await scene.gift({ denomination: 500 });
    await scene.redeemed(scene.asMerchant, part, { amount: 100 });
    const valid = await scene.gift();
    const foreign = await scene.gift({ partner: other });
    const anonymous = await scene.gift({ owner: null });
    for (const gift of [whole, part, foreign, anonymous]) await scene.expire(gift);
    const ask = async (client: Client) => {
      const { voucherCode } = whole;
      const answers = [
        await client.post(CLAIM, { voucherCode }),
        await redeem(client, whole, { verificationCode: '123456' }),
        await redeem(client, anonymous),
      ];
      return answers.map(({ body }) => [body.statusCode, body.message]);
    };
    const expectExpired = async () => {
      for (const [client, statusCode] of [
        [scene.asPartner, 403],
        [scene.asMerchant, 4036],
      ] as const) {
        const told = [statusCode, 'The expiration date of the voucher has passed'];
        expect(await ask(client)).toEqual([told, told, told]);
      }
    };
    await expectExpired();

    expect(await runExpiry()).toMatchObject({ expiredVouchers: 4 });
    expect(await runExpiry()).toMatchObject({ expiredVouchers: 0 });

    await expectExpired();
    expect(await scene.voucher(whole)).toMatchObject({
      status: 'EXPIRED',
      remaining: '0.000000',
      returned: '1000.000000',
    });
    expect(await scene.voucher(part)).toMatchObject({ status: 'EXPIRED', returned: '397.500000' });
    expect(await scene.voucher(valid)).toMatchObject({ status: 'ACTIVE' });
    expect(await scene.balances()).toEqual({
      walletBalance: before.walletBalance,
      eMoneyWalletBalance: before.eMoneyWalletBalance - 102.5 - 100,
      reservedBalance: before.reservedBalance + 100,
    });
  });

  test('waits for the claim of a voucher whose date has passed', async () => {
    const gift = await scene.gift();
    await scene.claimed(scene.asMerchant, gift);
    await scene.expire(gift);
    expect(await runExpiry()).toMatchObject({ expiredVouchers: 0 });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
  });

  test('leaves a code that was sent before it worthless', async () => {
    const gift = await scene.gift();
    const verificationCode = await scene.claimed(scene.asMerchant, gift);
    await scene.expire(gift);
    const late = await redeem(scene.asMerchant, gift, { verificationCode });
    expect(late.body.statusCode).toBe(4036);
    await scene.expire(gift, 1);
    expect(await newestCode(scene.stack, gift.owner ?? '')).toBe(verificationCode);
    done(await redeem(scene.asMerchant, gift, { verificationCode }));
  });
});
