import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { type Answer, merchantClient } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { CLAIM, done, type Gift, REDEEM } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { atOnce } from '../idempotency/at-once.ts';

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
});
afterAll(() => scene?.stop());

const cancel = ({ id }: Gift, key: string = randomUUID()): Promise<Answer> =>
  scene.asPartner.post(`/vouchers/${id}/cancel`, undefined, { 'Idempotency-Key': key });

const cancelled = (gift: Gift, returnedAmount: string) => ({
  id: gift.id,
  status: 'CANCELLED',
  returnedAmount,
});

let before: Awaited<ReturnType<typeof scene.balances>>;
beforeEach(async () => {
  before = await scene.balances();
});

describe('a cancellation', () => {
  it('returns the value to the gift wallet, once', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const key = randomUUID();
    const first = done(await cancel(gift, key));
    expect(first.body.data).toEqual(cancelled(gift, '500.000000'));
    const again = done(await cancel(gift, key));
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
    expect(done(await cancel(gift)).body.data).toEqual(first.body.data);
    expect(await scene.balances()).toEqual(before);
    expect(await scene.voucher(gift)).toMatchObject({
      status: 'CANCELLED',
      remaining: '0.000000',
      returned: '500.000000',
    });
  });

  it('returns what remains of a partly redeemed voucher', async () => {
    const gift = await scene.gift({ denomination: 500 });
    await scene.redeemed(scene.asMerchant, gift, { amount: 200 });
    expect(done(await cancel(gift)).body.data).toEqual(cancelled(gift, '295.000000'));
    expect(await scene.balances()).toMatchObject({
      eMoneyWalletBalance: before.eMoneyWalletBalance - 205,
      reservedBalance: before.reservedBalance,
    });
  });

  it('answers the same, although a reversal has returned more since', async () => {
    const gift = await scene.gift({ denomination: 500 });
    await scene.redeemed(scene.asMerchant, gift, { amount: 200 });
    const first = done(await cancel(gift));
    const [redemption] = done(await scene.asMerchant.get('/redemptions')).body.data;
    done(await scene.asMerchant.post(`/redemptions/${redemption.id}/reverse`, {}));
    expect((await scene.voucher(gift)).returned).toBe('500.000000');
    expect(done(await cancel(gift)).body.data).toEqual(first.body.data);
  });

  it('ends an open claim, whose code then pays nothing and whose workflow is told', async () => {
    const gift = await scene.gift();
    const verificationCode = await scene.claimed(scene.asMerchant, gift);
    done(await cancel(gift));
    const answer = await redeem(scene.asMerchant, gift, { verificationCode });
    expect(answer.body.statusCode).toBe(4041);
    const claim = await scene.stack.database
      .selectFrom('voucher_claims')
      .select(['status', 'workflow_id', 'code_ciphertext'])
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(claim).toMatchObject({ status: 'CANCELLED', code_ciphertext: null });
    const handle = scene.stack.temporal.client.workflow.getHandle(claim.workflow_id ?? '');
    expect(await handle.result()).toEqual({ ended: 'withdrawn' });
    expect(await scene.balances()).toEqual(before);
  });

  it('of a voucher past its date that no expiry run has seen returns the value, too', async () => {
    const gift = await scene.gift();
    await scene.expire(gift);
    done(await cancel(gift));
    expect(await scene.balances()).toEqual(before);
  });

  it('waits until a payment has ended', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant, denomination: 500 });
    const verificationCode = await scene.claimed(client, gift, { amount: 200 });
    const redemption = redeem(client, gift, { verificationCode });
    await scene.untilPaidTo(merchant);
    const key = randomUUID();
    const refused = await cancel(gift, key);
    expect([refused.status, refused.body.statusCode]).toEqual([409, 409]);
    expect(refused.body.message).toMatch(/is being paid/);
    expect((await scene.voucher(gift)).status).toBe('REDEEM_PROCESSING');
    await scene.settlePayout(merchant, 'completed');
    done(await redemption);
    expect(done(await cancel(gift, key)).body.data).toEqual(cancelled(gift, '295.000000'));
  });
});

describe('is refused, and moves nothing,', () => {
  it.each<[string, number, (gift: Gift) => Promise<unknown>]>([
    ['redeemed', 404, (gift) => scene.redeemed(scene.asMerchant, gift)],
    [
      'expired',
      403,
      async (gift) => {
        await scene.expire(gift);
        await scene.stack.database
          .transaction()
          .execute((transaction) => expireDueVouchers(transaction, 100));
      },
    ],
  ])('for a voucher that is %s', async (_status, statusCode, reach) => {
    const gift = await scene.gift();
    await reach(gift);
    const holdings = await scene.holdings();
    expect((await cancel(gift)).body.statusCode).toBe(statusCode);
    expect(await scene.holdings()).toEqual(holdings);
  });

  it('for one of another partner, as for none', async () => {
    const other = await makePartner(scene.stack, { giftWallet: '1000' });
    const gift = await scene.gift({ partner: other });
    const [strange, none] = await Promise.all([cancel(gift), cancel({ ...gift, id: 999_999 })]);
    expect(strange?.status).toBe(404);
    expect(strange?.body).toEqual(none?.body);
    expect((await scene.voucher(gift)).status).toBe('ACTIVE');
  });

  it('under a key that cancelled another voucher', async () => {
    const [one, other] = [await scene.gift(), await scene.gift()];
    const key = randomUUID();
    done(await cancel(one, key));
    expect((await cancel(other, key)).body.statusCode).toBe(422);
    expect((await scene.voucher(other)).status).toBe('ACTIVE');
  });
});

/** The cancellation comes first, at the same moment, and last. */
const rounds = [0, 1, 5];

test.each(rounds)(
  'of a cancellation and a redemption at once, one comes first (%i)',
  async (round) => {
    const gift = await scene.gift({ owner: null });
    const [answer, redemption] = (await atOnce(round, [
      () => cancel(gift),
      () => redeem(scene.asMerchant, gift),
    ])) as [Answer, Answer];
    const { status, returned } = await scene.voucher(gift);
    if (answer.status === 200) {
      expect(redemption.body.statusCode).toBe(4041);
      expect([status, returned]).toEqual(['CANCELLED', '100.000000']);
    } else {
      expect([404, 409]).toContain(answer.status);
      done(redemption);
      expect([status, returned]).toEqual(['REDEEMED', '0.000000']);
    }
  },
);

test.each(rounds)(
  'of a cancellation and a claim at once, no claim survives (%i)',
  async (round) => {
    const gift = await scene.gift();
    const merchant = await merchantClient(scene.stack, scene.merchant);
    const [answer] = await atOnce(round, [
      () => cancel(gift),
      () => merchant.post(CLAIM, { voucherCode: gift.voucherCode }),
    ]);
    expect(answer?.status).toBe(200);
    expect(await scene.voucher(gift)).toMatchObject({
      status: 'CANCELLED',
      current_claim_id: null,
    });
    const late = await scene.asMerchant.post(REDEEM, {
      voucherCode: gift.voucherCode,
      verificationCode: '000000',
      idempotencyKey: randomUUID(),
    });
    expect(late.body.statusCode).toBe(4041);
  },
);

test.each(rounds)(
  'of a cancellation and the expiry at once, one returns the value (%i)',
  async (round) => {
    const gift = await scene.gift();
    await scene.expire(gift);
    const expire = () =>
      scene.stack.database
        .transaction()
        .execute((transaction) => expireDueVouchers(transaction, 100));
    const [answer] = (await atOnce<unknown>(round, [() => cancel(gift), expire])) as [Answer];
    const { status, returned } = await scene.voucher(gift);
    expect([answer.status, status]).toEqual(
      answer.status === 200 ? [200, 'CANCELLED'] : [403, 'EXPIRED'],
    );
    expect(returned).toBe('100.000000');
    expect(await scene.balances()).toEqual(before);
  },
);

test('ten cancellations at once return the value once, and all say so', async () => {
  const gift = await scene.gift();
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(gift)));
  expect(answers.map(({ body }) => body.data)).toEqual(
    answers.map(() => cancelled(gift, '100.000000')),
  );
  expect(await scene.balances()).toEqual(before);
});
