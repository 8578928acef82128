import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestMerchant } from '../../support/companies.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, type Client, done, type Gift } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** What a claim can promise: whatever gets a code can be redeemed at the fee of the claim. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene();
});
afterAll(() => scene?.stop());

const claim = (client: Client, { voucherCode }: Gift, amount?: number | string) =>
  client.post(CLAIM, { voucherCode, ...(amount === undefined ? {} : { amount }) });

const changeMerchant = (
  { id }: TestMerchant,
  changes: { status?: 'DEACTIVATED'; service_fee_percent?: string | null },
) => scene.stack.database.updateTable('merchants').set(changes).where('id', '=', id).execute();

const messagesTo = ({ owner }: Gift) => scene.stack.sandbox.books.messages(owner ?? '');

/** Refused before anything happened: no code was sent and nothing moved. */
async function expectNothingSent(gift: Gift): Promise<void> {
  expect(messagesTo(gift)).toEqual([]);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
}

describe('a claim', () => {
  test('of more than the balance and its fee is refused, and says what is possible', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, denomination: 500 });
    const before = await scene.holdings();
    expectRefusal(await claim(client, gift, 495), 'merchant', 4091, {
      reason: 'amount-exceeds-balance',
      says: 'with the service fee of 2.5 % at most 487.80, or the whole balance of 500.00',
    });
    await expectNothingSent(gift);
    expect(await scene.holdings()).toEqual(before);
    // One cent more than what is said is refused as well; what is said can be redeemed.
    expect((await claim(client, gift, '487.81')).body.statusCode).toBe(4091);
    const verificationCode = await scene.claimed(client, gift, { amount: '487.80' });
    done(await redeem(client, gift, { verificationCode }));
    expect(scene.amountsPaidTo(merchant)).toEqual(['487.80 completed']);
  });

  test('keeps its fee when the merchant’s fee changes before the redemption', async () => {
    const { merchant, client } = await scene.payee('partner');
    const gift = await scene.gift({ merchant, denomination: 500 });
    const verificationCode = await scene.claimed(client, gift, { amount: '487.80' });
    await changeMerchant(merchant, { service_fee_percent: '50' });
    done(await redeem(client, gift, { verificationCode }));
    expect(await scene.postedRedemptions(gift)).toMatchObject([{ service_fee: '12.200000' }]);
  });

  test('of an amount that the provider cannot carry is refused', async () => {
    const { merchant, client } = await scene.payee('partner');
    // Its whole balance has more decimals than the provider takes.
    const gift = await scene.giftOf(merchant, '100.00001');
    const before = await scene.holdings();
    expectRefusal(await claim(client, gift), 'partner', 400, {
      reason: 'amount-not-payable',
      says: 'with the service fee of 2.5 % at most 97.56',
    });
    await expectNothingSent(gift);
    expect(await scene.holdings()).toEqual(before);
    const verificationCode = await scene.claimed(client, gift, { amount: '97.56' });
    done(await redeem(client, gift, { verificationCode }));
  });

  test('at a merchant without a payout account sends no code', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    await scene.stack.database
      .updateTable('merchant_payout_accounts')
      .set({ replaced_at: new Date() })
      .where('merchant_id', '=', merchant.id)
      .execute();
    expectRefusal(await claim(client, gift), 'merchant', 5031, {
      reason: 'payout-account-missing',
    });
    await expectNothingSent(gift);
  });
});

test('a partner’s claim of a voucher restricted to a merchant without a fee sends no code', async () => {
  const { merchant } = await scene.payee('partner');
  const gift = await scene.gift({ merchant });
  await changeMerchant(merchant, { service_fee_percent: null });
  expectRefusal(await claim(scene.asPartner, gift), 'partner', 500, {
    reason: 'service-fee-missing',
  });
  await expectNothingSent(gift);
});

test('a partner’s claim of a voucher restricted to a deactivated merchant sends no code', async () => {
  const { merchant } = await scene.payee('partner');
  const gift = await scene.gift({ merchant });
  await changeMerchant(merchant, { status: 'DEACTIVATED' });
  expectRefusal(await claim(scene.asPartner, gift), 'partner', 404, {
    reason: 'merchant-not-found',
  });
  await expectNothingSent(gift);
});

test('a partner’s claim of an unrestricted voucher waits for the merchant, who is named later', async () => {
  const { merchant } = await scene.payee('partner', { service_fee_percent: '50' });
  const gift = await scene.gift({ denomination: 500, isRestricted: false });
  const verificationCode = await scene.claimed(scene.asPartner, gift, { amount: 495 });
  const answer = await redeem(scene.asPartner, gift, { verificationCode, merchantId: merchant.id });
  expectRefusal(answer, 'partner', 403, {
    reason: 'balance-negative-after-fee',
    says: 'with the service fee of 50 % at most 333.33, or the whole balance of 500.00',
  });
});
