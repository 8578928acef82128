import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { merchantClient, type PartnerClient, partnerClient } from '../../support/clients.js';
import { makeMerchant, makePartner, type TestMerchant } from '../../support/companies.js';
import {
  CLAIM,
  GENERATE,
  type Gift,
  type GiftScene,
  newOwner,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.js';
import { type RefusalCase, testRefusals } from './refusals.js';

let scene: GiftScene;
let asPartner: PartnerClient;
let asOtherPartner: PartnerClient;
let otherMerchant: TestMerchant;
let deactivated: TestMerchant;

beforeAll(async () => {
  scene = await setGiftScene();
  asPartner = scene.asPartner;
  asOtherPartner = await partnerClient(scene.stack, await makePartner(scene.stack));
  otherMerchant = await makeMerchant(scene.stack);
  deactivated = await makeMerchant(scene.stack);
  await changeMerchant(deactivated, { status: 'DEACTIVATED' });
});
afterAll(() => scene?.stop());

const UNKNOWN_CODE = '0000-0000-0000-0000';
const UNKNOWN_ID = 999_999_999;

const changeMerchant = (
  { id }: TestMerchant,
  changes: { status?: 'DEACTIVATED'; service_fee_percent?: null },
) => scene.stack.database.updateTable('merchants').set(changes).where('id', '=', id).execute();

const generate = (extra: object = {}, client = asPartner) =>
  client.post(GENERATE, {
    denominationId: scene.partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: '0911234550',
    ...extra,
  });

const claim = (gift: Pick<Gift, 'voucherCode'>, extra: object = {}, client = asPartner) =>
  client.post(CLAIM, { voucherCode: gift.voucherCode, ...extra });

const redeem = (gift: Pick<Gift, 'voucherCode'>, extra: object = {}, client = asPartner) =>
  client.post(REDEEM, { voucherCode: gift.voucherCode, ...extra });

async function redeemedGift(): Promise<Gift> {
  const gift = await scene.gift();
  await scene.redeemed(asPartner, gift);
  return gift;
}

async function expiredGift(): Promise<Gift> {
  const gift = await scene.gift();
  await scene.expire(gift);
  return gift;
}

async function cancelledGift(): Promise<Gift> {
  const gift = await scene.gift();
  await scene.cancel(gift);
  return gift;
}

/** A gift whose payment the provider leaves pending, with the request that waits for it. */
async function giftInProgress() {
  const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
  const gift = await scene.gift({ merchant, owner: null });
  const waiting = redeem(gift, { amount: 40 });
  await scene.untilPaidTo(merchant);
  return { merchant, gift, waiting };
}

const platformReference = { referenceNumber: expect.stringMatching(/^RDM-[0-9A-F]{16}$/) };

const generation: readonly RefusalCase[] = [
  {
    operation: 'generate-voucher',
    reason: 'merchant-unspecified',
    arrange: async () => () => generate({ merchantId: undefined }),
  },
  {
    operation: 'generate-voucher',
    reason: 'merchant-unspecified',
    when: 'other fields are missing, too',
    arrange: async () => () => asPartner.post(GENERATE, {}),
  },
  {
    operation: 'generate-voucher',
    reason: 'product-not-accessible',
    arrange: async () => {
      const partner = await makePartner(scene.stack);
      await scene.stack.database
        .deleteFrom('partner_products')
        .where('partner_id', '=', partner.id)
        .execute();
      const client = await partnerClient(scene.stack, partner);
      return () => generate({ denominationId: partner.denominations[100] }, client);
    },
  },
  {
    operation: 'generate-voucher',
    reason: 'product-not-accessible',
    when: 'a denomination of another partner’s product',
    arrange: async () => () => generate({}, asOtherPartner),
  },
  {
    operation: 'generate-voucher',
    reason: 'denomination-not-found',
    statusCode: 404,
    arrange: async () => () => generate({ denominationId: UNKNOWN_ID }),
  },
  {
    operation: 'generate-voucher',
    reason: 'denomination-not-found',
    statusCode: 404,
    when: 'inactive',
    arrange: async () => {
      const { denominations } = await makePartner(scene.stack);
      await scene.stack.database
        .updateTable('gift_denominations')
        .set({ status: 'INACTIVE' })
        .where('id', '=', denominations[100])
        .execute();
      return () => generate({ denominationId: denominations[100] });
    },
  },
  {
    operation: 'generate-voucher',
    reason: 'merchant-not-found',
    statusCode: 404,
    arrange: async () => () => generate({ merchantId: UNKNOWN_ID }),
  },
  {
    operation: 'generate-voucher',
    reason: 'merchant-not-found',
    statusCode: 404,
    when: 'by its identifier',
    arrange: async () => () => generate({ merchantId: undefined, merchantIdentifier: 'nobody' }),
  },
  {
    operation: 'generate-voucher',
    reason: 'merchant-not-found',
    statusCode: 404,
    when: 'deactivated',
    arrange: async () => () => generate({ merchantId: deactivated.id }),
  },
  {
    operation: 'generate-voucher',
    reason: 'price-not-defined',
    arrange: async () => () => generate({ denominationId: scene.partner.denominations.unpriced }),
  },
  {
    operation: 'generate-voucher',
    reason: 'price-not-defined',
    when: 'only for another merchant',
    arrange: async () => {
      const price = await asPartner.post('/partner-gift-denomination-prices', {
        denominationId: scene.partner.denominations.unpriced,
        sellingPriceUsd: '7.10',
        merchantId: otherMerchant.id,
      });
      expect(price.status).toBe(200);
      return () => generate({ denominationId: scene.partner.denominations.unpriced });
    },
  },
  {
    operation: 'generate-voucher',
    reason: 'money-insufficient',
    headers: { Allow: /^POST$/ },
    arrange: async () => {
      const partner = await makePartner(scene.stack, { giftWallet: '499.99' });
      const client = await partnerClient(scene.stack, partner);
      return () => generate({ denominationId: partner.denominations[500] }, client);
    },
  },
];

const claims: readonly RefusalCase[] = [
  {
    operation: 'initiate-claim',
    reason: 'voucher-not-found',
    arrange: async () => () => claim({ voucherCode: UNKNOWN_CODE }),
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-not-found',
    when: 'of another partner',
    arrange: async () => {
      const gift = await scene.gift();
      return () => claim(gift, {}, asOtherPartner);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-not-found',
    when: 'cancelled',
    arrange: async () => {
      const gift = await cancelledGift();
      return () => claim(gift);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-redeemed',
    arrange: async () => {
      const gift = await redeemedGift();
      return () => claim(gift);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'redemption-in-progress',
    statusCode: 409,
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
      const gift = await scene.gift({ merchant });
      const verificationCode = await scene.claimed(asPartner, gift);
      void redeem(gift, { verificationCode });
      await scene.untilPaidTo(merchant);
      return () => claim(gift);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-expired',
    statusCode: 403,
    arrange: async () => {
      const gift = await expiredGift();
      return () => claim(gift);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'claim-not-needed',
    statusCode: 400,
    arrange: async () => {
      const gift = await scene.gift({ owner: null });
      return () => claim(gift);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'amount-exceeds-balance',
    arrange: async () => {
      const gift = await scene.gift();
      return () => claim(gift, { amount: 100.01 });
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'message-not-queued',
    statusCode: 503,
    says: 'InvalidPhoneNumber',
    arrange: async () => {
      const gift = await scene.gift({ owner: newOwner('002') });
      return () => claim(gift);
    },
  },
];

const redemptions: readonly RefusalCase[] = [
  {
    operation: 'redeem-gift',
    reason: 'voucher-not-found',
    arrange: async () => () => redeem({ voucherCode: UNKNOWN_CODE }),
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-not-found',
    when: 'of another partner, with its right code',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asPartner, gift);
      return () => redeem(gift, { verificationCode }, asOtherPartner);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-restricted',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asPartner, gift);
      return () => redeem(gift, { verificationCode, merchantId: otherMerchant.id });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'merchant-not-found',
    arrange: async () => {
      const gift = await scene.gift({ owner: null, isRestricted: false });
      return () => redeem(gift, { merchantId: UNKNOWN_ID });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'merchant-not-found',
    when: 'deactivated',
    arrange: async () => {
      const gift = await scene.gift({ owner: null, isRestricted: false });
      return () => redeem(gift, { merchantId: deactivated.id });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-redeemed',
    arrange: async () => {
      const gift = await redeemedGift();
      return () => redeem(gift, { verificationCode: '123456' });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'redemption-in-progress',
    statusCode: 409,
    when: 'another redemption of the rest',
    data: platformReference,
    arrange: async () => {
      const { gift } = await giftInProgress();
      return () => redeem(gift, { amount: 10 });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-expired',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asPartner, gift);
      await scene.expire(gift);
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-expired',
    when: 'anonymous',
    arrange: async () => {
      const gift = await scene.gift({ owner: null });
      await scene.expire(gift);
      return () => redeem(gift);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'verification-code-missing',
    arrange: async () => {
      const gift = await scene.gift();
      await scene.claimed(asPartner, gift);
      return () => redeem(gift);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'claim-not-found',
    arrange: async () => {
      const gift = await scene.gift();
      return () => redeem(gift, { verificationCode: '123456' });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'claim-not-found',
    when: 'claimed by a merchant',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(scene.asMerchant, gift);
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'verification-code-incorrect',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = otherCode(await scene.claimed(asPartner, gift));
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'msisdn-not-owner',
    statusCode: 403,
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asPartner, gift);
      return () => redeem(gift, { verificationCode, msisdn: newOwner() });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'service-fee-missing',
    statusCode: 500,
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack);
      const gift = await scene.gift({ merchant, isRestricted: false });
      const verificationCode = await scene.claimed(asPartner, gift);
      await changeMerchant(merchant, { service_fee_percent: null });
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'amount-exceeds-balance',
    arrange: async () => {
      const gift = await scene.gift({ owner: null });
      return () => redeem(gift, { amount: '100.01' });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'balance-negative-after-fee',
    statusCode: 403,
    arrange: async () => {
      const gift = await scene.gift({ isRestricted: false });
      const verificationCode = await scene.claimed(asPartner, gift, { amount: 97.57 });
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'payout-account-missing',
    statusCode: 404,
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack);
      const gift = await scene.gift({ merchant, owner: null });
      await scene.stack.database
        .updateTable('merchant_payout_accounts')
        .set({ replaced_at: new Date() })
        .where('merchant_id', '=', merchant.id)
        .execute();
      return () => redeem(gift);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'payment-refused',
    says: 'The payee account is barred',
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack, { payoutSuffix: '003' });
      const gift = await scene.gift({ merchant, owner: null });
      return () => redeem(gift);
    },
  },
];

const further: readonly RefusalCase[] = [
  {
    operation: 'set-denomination-price',
    reason: 'denomination-not-found',
    statusCode: 404,
    arrange: async () => () =>
      asPartner.post('/partner-gift-denomination-prices', {
        denominationId: UNKNOWN_ID,
        sellingPriceUsd: '1',
      }),
  },
  {
    operation: 'set-denomination-price',
    reason: 'merchant-not-found',
    statusCode: 404,
    arrange: async () => () =>
      asPartner.post('/partner-gift-denomination-prices', {
        denominationId: scene.partner.denominations[100],
        sellingPriceUsd: '1',
        merchantId: UNKNOWN_ID,
      }),
  },
  {
    operation: 'list',
    reason: 'page-not-found',
    statusCode: 404,
    arrange: async () => () => asPartner.get('/merchants?page=2&limit=100'),
  },
];

testRefusals('partner', () => scene, [...generation, ...claims, ...redemptions, ...further]);

describe('after a refusal the voucher can be used', () => {
  test('when the SMS could not be sent: it is ACTIVE and can be claimed again', async () => {
    const gift = await scene.gift({ owner: newOwner('003') });
    expect((await claim(gift)).status).toBe(503);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
    expect((await claim(gift)).status).toBe(503);
  });

  test('when the payment was refused: its money is reserved again and another merchant is paid', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '006' });
    const gift = await scene.gift({ merchant, isRestricted: false });
    const before = await asPartner.get('/info/get-current-balance');
    const verificationCode = await scene.claimed(asPartner, gift);
    const refused = await redeem(gift, { verificationCode });
    expect(refused.body).toMatchObject({ statusCode: 404, data: null });
    expect(refused.body.message).toContain('The payment was declined');
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', held: '0.000000' });
    expect((await asPartner.get('/info/get-current-balance')).body).toEqual(before.body);

    const again = await scene.claimed(asPartner, gift);
    const paid = await redeem(gift, { verificationCode: again, merchantId: otherMerchant.id });
    expect(paid.status).toBe(200);
    expect(scene.payoutsTo(otherMerchant)).toMatchObject([{ amount: '97.50' }]);
  });

  test('when the payment fails after it was taken', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
    const client = await merchantClient(scene.stack, merchant);
    const gift = await scene.gift({ merchant, owner: null });
    const waiting = redeem(gift);
    await scene.settlePayout(merchant, 'failed');
    expect((await waiting).body).toMatchObject({ statusCode: 404, success: false });
    const detail = await client.get(`/topup-transactions/${gift.voucherCode}`);
    expect(detail.body.data.voucher).toMatchObject({
      status: 'ACTIVE',
      remainingBalance: '100.000000',
    });
  });
});
