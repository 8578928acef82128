import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { type Answer, merchantClient } from '../../support/clients.ts';
import { makeMerchant, makePartner, setPrice } from '../../support/companies.ts';
import { cancelAlone } from '../../support/vouchers.ts';
import { CLAIM, done, GENERATE, type Gift, REDEEM } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';
import { atOnce } from '../idempotency/at-once.ts';

/** Redemptions and generations while something that they depend on changes (F35): one comes first. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
});
afterAll(() => scene?.stop());

const GIFTS = 8;
const rounds = Array.from({ length: GIFTS }, (_, index) => index);

const anonymous = () => scene.gift({ owner: null });

const redeemAll = ({ voucherCode }: Gift) => scene.asMerchant.post(REDEEM, { voucherCode });

/** Either the redemption was booked whole, or nothing of it was and the answer is one of these. */
async function expectOneOf(gift: Gift, answer: Answer, refusals: readonly number[]) {
  const posted = await scene.postedRedemptions(gift);
  const { status, remaining, returned } = await scene.voucher(gift);
  if (answer.status === 200) {
    expect([posted.length, status, Number(remaining), Number(returned)]).toEqual([
      1,
      'REDEEMED',
      0,
      0,
    ]);
    return 'redeemed';
  }
  expect(refusals, JSON.stringify(answer.body)).toContain(answer.body.statusCode);
  expect([posted.length, await scene.transfersOf(gift)]).toEqual([0, []]);
  return 'refused';
}

test('expiry and redemption', async () => {
  const { database } = scene.stack;
  const gifts = await Promise.all(rounds.map(anonymous));
  await Promise.all(
    gifts.map(({ id }, index) =>
      database
        .updateTable('vouchers')
        .set({ expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${index * 0.03})` })
        .where('id', '=', id)
        .execute(),
    ),
  );
  let isOver = false;
  const expiryRuns = (async () => {
    while (!isOver)
      await database.transaction().execute((transaction) => expireDueVouchers(transaction, 3));
  })();
  const answers = await atOnce(
    1,
    gifts.map((gift) => () => redeemAll(gift)),
  );
  await expect
    .poll(async () => {
      const found = await Promise.all(gifts.map(scene.voucher));
      return found.filter(({ status }) => status === 'ACTIVE').length;
    })
    .toBe(0);
  isOver = true;
  await expiryRuns;
  for (const [index, gift] of gifts.entries()) {
    const ending = await expectOneOf(gift, answers[index] as Answer, [4036]);
    if (ending === 'refused')
      expect(await scene.voucher(gift)).toMatchObject({
        status: 'EXPIRED',
        returned: '100.000000',
      });
  }
});

test('expiry and claim: a claimed voucher does not expire, an expired one is not claimed', async () => {
  const { database } = scene.stack;
  const gifts = await Promise.all(rounds.map(() => scene.gift()));
  await Promise.all(
    gifts.map(({ id }, index) =>
      database
        .updateTable('vouchers')
        .set({ expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${index * 0.03})` })
        .where('id', '=', id)
        .execute(),
    ),
  );
  const claims = gifts.map(
    ({ voucherCode }) =>
      () =>
        scene.asMerchant.post(CLAIM, { voucherCode }),
  );
  const runExpiry = async () => {
    await database.transaction().execute((transaction) => expireDueVouchers(transaction, 100));
    return undefined;
  };
  const answers = await atOnce<Answer | undefined>(2, [...claims, ...rounds.map(() => runExpiry)]);
  for (const [index, gift] of gifts.entries()) {
    const { status } = await scene.voucher(gift);
    if (answers[index]?.status === 200) expect(status).toBe('REDEEM_INITIATED');
    else {
      expect(answers[index]?.body.statusCode).toBe(4036);
      expect(['ACTIVE', 'EXPIRED']).toContain(status);
    }
  }
});

test.each(rounds.slice(0, 4))('cancellation and redemption (%i)', async (round) => {
  const gift = await anonymous();
  const cancel = () =>
    scene.stack.database.transaction().execute((transaction) => cancelAlone(transaction, gift.id));
  const [answer, statusBefore] = await atOnce<unknown>(round, [() => redeemAll(gift), cancel]);
  const ending = await expectOneOf(gift, answer as Answer, [4041]);
  if (ending === 'refused') {
    expect(statusBefore).toBe('ACTIVE');
    expect(await scene.voucher(gift)).toMatchObject({
      status: 'CANCELLED',
      returned: '100.000000',
    });
  } else expect(statusBefore).not.toBe('ACTIVE');
});

test.each(rounds.slice(0, 4))('deactivation of the merchant and redemption (%i)', async (round) => {
  const merchant = await makeMerchant(scene.stack);
  const client = await merchantClient(scene.stack, merchant);
  const gift = await scene.gift({ owner: null, merchant });
  const { voucherCode } = gift;
  const [answer] = await atOnce<unknown>(round, [
    () => client.post(REDEEM, { voucherCode }),
    () =>
      scene.stack.database
        .updateTable('merchants')
        .set({ status: 'DEACTIVATED' })
        .where('id', '=', merchant.id)
        .execute(),
  ]);
  const ending = await expectOneOf(gift, answer as Answer, [4043]);
  expect(scene.payoutsTo(merchant)).toHaveLength(ending === 'redeemed' ? 1 : 0);
});

test.each(rounds.slice(0, 4))('suspension of the partner and redemption (%i)', async (round) => {
  const partner = await makePartner(scene.stack);
  const gift = await scene.gift({ owner: null, partner });
  const [answer] = await atOnce<unknown>(round, [
    () => redeemAll(gift),
    () =>
      scene.stack.database
        .updateTable('partners')
        .set({ status: 'SUSPENDED' })
        .where('id', '=', partner.id)
        .execute(),
  ]);
  await expectOneOf(gift, answer as Answer, [4045]);
});

test.each(rounds.slice(0, 4))(
  'change of the fee: frozen at the claim, whole otherwise (%i)',
  async (round) => {
    const { merchant, client } = await scene.payee('merchant');
    const [owned, open] = [
      await scene.gift({ merchant }),
      await scene.gift({ merchant, owner: null }),
    ];
    const verificationCode = await scene.claimed(client, owned, { amount: 40 });
    const answers = await atOnce<unknown>(round, [
      () => client.post(REDEEM, { voucherCode: owned.voucherCode, verificationCode }),
      () => client.post(REDEEM, { voucherCode: open.voucherCode, amount: 40 }),
      () =>
        scene.stack.database
          .updateTable('merchants')
          .set({ service_fee_percent: '10' })
          .where('id', '=', merchant.id)
          .execute(),
    ]);
    for (const answer of answers.slice(0, 2)) done(answer as Answer);
    expect(await scene.postedRedemptions(owned)).toMatchObject([{ service_fee: '1.000000' }]);
    const [posted] = await scene.postedRedemptions(open);
    expect(['1.000000', '4.000000']).toContain(posted?.service_fee);
    const { remaining } = await scene.voucher(open);
    expect(Number(remaining)).toBe(60 - Number(posted?.service_fee));
  },
);

test.each(rounds.slice(0, 2))('change of the price and generation (%i)', async (round) => {
  const { database } = scene.stack;
  const denominationId = scene.partner.denominations[500];
  const price = (sellingPriceUsd: string) => () =>
    setPrice(database, {
      partnerId: scene.partner.id,
      denominationId,
      merchantId: null,
      sellingPriceUsd,
    });
  await price('4.75')();
  const generate = () =>
    scene.asPartner.post(GENERATE, { denominationId, merchantId: scene.merchant.id, msisdn: null });
  const answers = await atOnce<unknown>(round, [
    generate,
    generate,
    price('5.25'),
    generate,
    generate,
  ]);
  const ids = answers
    .filter((_, index) => index !== 2)
    .map((answer) => done(answer as Answer).body.data.voucher.id);
  const rows = await database
    .selectFrom('vouchers')
    .select(['selling_price_usd', 'amount'])
    .where('id', 'in', ids.map(Number))
    .execute();
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    expect(['4.750000', '5.250000']).toContain(row.selling_price_usd);
    expect(row.amount).toBe('500.000000');
  }
});
