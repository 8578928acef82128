import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MerchantClient, merchantClient, newestCode } from '../../support/clients.js';
import { makeMerchant, makePartner, type TestMerchant } from '../../support/companies.js';
import {
  CLAIM,
  type Gift,
  type GiftOptions,
  type GiftScene,
  newOwner,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.js';
import { type RefusalCase, testRefusals } from './refusals.js';

let scene: GiftScene;
let asMerchant: MerchantClient;
/** Merchants with something amiss, each with a fee of 2.5 % where nothing else is said. */
let other: TestMerchant;
let asOther: MerchantClient;
let asDeactivated: MerchantClient;
let feeless: TestMerchant;
let asFeeless: MerchantClient;

async function merchantWith(changes: { status?: 'DEACTIVATED'; service_fee_percent?: null }) {
  const merchant = await makeMerchant(scene.stack);
  const client = await merchantClient(scene.stack, merchant);
  if (Object.keys(changes).length > 0)
    await scene.stack.database
      .updateTable('merchants')
      .set(changes)
      .where('id', '=', merchant.id)
      .execute();
  return [merchant, client] as const;
}

beforeAll(async () => {
  scene = await setGiftScene();
  asMerchant = scene.asMerchant;
  [other, asOther] = await merchantWith({});
  [, asDeactivated] = await merchantWith({ status: 'DEACTIVATED' });
  [feeless, asFeeless] = await merchantWith({ service_fee_percent: null });
});
afterAll(() => scene?.stop());

const UNKNOWN_CODE = '0000-0000-0000-0000';

const claim = (gift: Pick<Gift, 'voucherCode'>, extra: object = {}, client = asMerchant) =>
  client.post(CLAIM, { voucherCode: gift.voucherCode, ...extra });

const redeem = (gift: Pick<Gift, 'voucherCode'>, extra: object = {}, client = asMerchant) =>
  client.post(REDEEM, { voucherCode: gift.voucherCode, ...extra });

const detail = ({ voucherCode }: Pick<Gift, 'voucherCode'>, client = asMerchant) =>
  client.get(`/topup-transactions/${voucherCode}`);

async function redeemedGift(): Promise<Gift> {
  const gift = await scene.gift();
  await scene.redeemed(asMerchant, gift);
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

/** A gift of a partner that was suspended after it had generated it. */
async function orphanedGift(options: GiftOptions = {}): Promise<Gift> {
  const partner = await makePartner(scene.stack);
  const gift = await scene.gift({ partner, ...options });
  await scene.stack.database
    .updateTable('partners')
    .set({ status: 'SUSPENDED' })
    .where('id', '=', partner.id)
    .execute();
  return gift;
}

/** A gift whose payment the provider leaves pending, with the request that waits for it. */
async function giftInProgress() {
  const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
  const client = await merchantClient(scene.stack, merchant);
  const gift = await scene.gift({ merchant, isRestricted: false });
  const verificationCode = await scene.claimed(client, gift);
  const waiting = redeem(gift, { verificationCode }, client);
  await scene.untilPaidTo(merchant);
  return { merchant, client, gift, verificationCode, waiting };
}

const cases: readonly RefusalCase[] = [
  {
    operation: 'initiate-claim',
    reason: 'voucher-not-found',
    arrange: async () => () => claim({ voucherCode: UNKNOWN_CODE }),
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-not-found',
    when: 'a text that can be no code',
    arrange: async () => () => claim({ voucherCode: 'my voucher' }),
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-not-found',
    when: 'restricted to another merchant',
    arrange: async () => {
      const gift = await scene.gift();
      return () => claim(gift, {}, asOther);
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
    reason: 'merchant-not-found',
    statusCode: 4043,
    arrange: async () => {
      const gift = await scene.gift({ merchant: other, isRestricted: false });
      return () => claim(gift, {}, asDeactivated);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'partner-unavailable',
    statusCode: 4045,
    arrange: async () => {
      const gift = await orphanedGift();
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
    statusCode: 4092,
    arrange: async () => {
      const { gift, client } = await giftInProgress();
      return () => claim(gift, {}, client);
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'voucher-expired',
    statusCode: 4036,
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
    reason: 'service-fee-missing',
    arrange: async () => {
      const gift = await scene.gift({ merchant: feeless });
      return () => claim(gift, {}, asFeeless);
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
    reason: 'amount-exceeds-balance',
    when: 'what a first redemption left',
    arrange: async () => {
      const gift = await scene.gift();
      await scene.redeemed(asMerchant, gift, { amount: 40 });
      return () => claim(gift, { amount: '59.01' });
    },
  },
  {
    operation: 'initiate-claim',
    reason: 'message-not-queued',
    statusCode: 5003,
    says: 'RejectedByGateway',
    arrange: async () => {
      const gift = await scene.gift({ owner: newOwner('006') });
      return () => claim(gift);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-not-found',
    arrange: async () => () =>
      redeem({ voucherCode: UNKNOWN_CODE }, { verificationCode: '123456' }),
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-not-found',
    when: 'cancelled',
    arrange: async () => {
      const gift = await cancelledGift();
      return () => redeem(gift, { verificationCode: '123456' });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-restricted',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asMerchant, gift);
      return () => redeem(gift, { verificationCode }, asOther);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-restricted',
    when: 'anonymous',
    arrange: async () => {
      const gift = await scene.gift({ owner: null });
      return () => redeem(gift, {}, asOther);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'merchant-not-found',
    arrange: async () => {
      const gift = await scene.gift({ merchant: other, isRestricted: false, owner: null });
      return () => redeem(gift, {}, asDeactivated);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'partner-unavailable',
    arrange: async () => {
      const gift = await orphanedGift({ owner: null });
      return () => redeem(gift);
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
    when: 'with its own code, under another key',
    arrange: async () => {
      const { gift, client, verificationCode } = await giftInProgress();
      return () => redeem(gift, { verificationCode }, client);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'redemption-in-progress',
    when: 'by another merchant',
    arrange: async () => {
      const { gift } = await giftInProgress();
      return () => redeem(gift, { verificationCode: '123456' }, asOther);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'voucher-expired',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asMerchant, gift);
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
  ...[{}, { verificationCode: null }, { verificationCode: '' }, { verificationCode: ' ' }].map(
    (code): RefusalCase => ({
      operation: 'redeem-gift',
      reason: 'verification-code-missing',
      when: JSON.stringify(code),
      arrange: async () => {
        const gift = await scene.gift();
        await scene.claimed(asMerchant, gift);
        return () => redeem(gift, code);
      },
    }),
  ),
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
    when: 'claimed by another merchant',
    arrange: async () => {
      const gift = await scene.gift({ isRestricted: false });
      const verificationCode = await scene.claimed(asMerchant, gift);
      return () => redeem(gift, { verificationCode }, asOther);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'claim-not-found',
    when: 'claimed by the partner',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(scene.asPartner, gift);
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'verification-code-incorrect',
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = otherCode(await scene.claimed(asMerchant, gift));
      return () => redeem(gift, { verificationCode });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'msisdn-not-owner',
    statusCode: 4035,
    arrange: async () => {
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(asMerchant, gift);
      return () => redeem(gift, { verificationCode, msisdn: newOwner() });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'service-fee-missing',
    statusCode: 5001,
    arrange: async () => {
      const gift = await scene.gift({ merchant: feeless, owner: null });
      return () => redeem(gift, {}, asFeeless);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'amount-exceeds-balance',
    arrange: async () => {
      const gift = await scene.gift({ owner: null });
      return () => redeem(gift, { amount: 100.01 });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'balance-negative-after-fee',
    arrange: async () => {
      const gift = await scene.gift({ owner: null });
      return () => redeem(gift, { amount: 97.57 });
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'balance-negative-after-fee',
    when: 'the fee takes everything',
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack, { service_fee_percent: '100' });
      const client = await merchantClient(scene.stack, merchant);
      const gift = await scene.gift({ merchant, owner: null });
      return () => redeem(gift, {}, client);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'payout-account-missing',
    statusCode: 5031,
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack);
      const client = await merchantClient(scene.stack, merchant);
      const gift = await scene.gift({ merchant, owner: null });
      await scene.stack.database
        .updateTable('merchant_payout_accounts')
        .set({ replaced_at: new Date() })
        .where('merchant_id', '=', merchant.id)
        .execute();
      return () => redeem(gift, {}, client);
    },
  },
  {
    operation: 'redeem-gift',
    reason: 'payment-refused',
    says: 'The payment was declined',
    arrange: async () => {
      const merchant = await makeMerchant(scene.stack, { payoutSuffix: '006' });
      const client = await merchantClient(scene.stack, merchant);
      const gift = await scene.gift({ merchant, owner: null });
      return () => redeem(gift, { amount: 40 }, client);
    },
  },
  {
    operation: 'voucher-detail',
    reason: 'voucher-not-found',
    statusCode: 4041,
    arrange: async () => () => detail({ voucherCode: UNKNOWN_CODE }),
  },
  {
    operation: 'voucher-detail',
    reason: 'voucher-not-found',
    statusCode: 4041,
    when: 'restricted to another merchant',
    arrange: async () => {
      const gift = await scene.gift();
      return () => detail(gift, asOther);
    },
  },
  {
    operation: 'voucher-detail',
    reason: 'voucher-not-found',
    statusCode: 4041,
    when: 'cancelled',
    arrange: async () => {
      const gift = await cancelledGift();
      return () => detail(gift);
    },
  },
  {
    operation: 'voucher-detail',
    reason: 'merchant-not-found',
    statusCode: 4043,
    arrange: async () => {
      const gift = await scene.gift({ merchant: other, isRestricted: false });
      return () => detail(gift, asDeactivated);
    },
  },
  {
    operation: 'voucher-detail',
    reason: 'service-fee-missing',
    statusCode: 5001,
    arrange: async () => {
      const gift = await scene.gift({ merchant: feeless });
      return () => detail(gift, asFeeless);
    },
  },
];

testRefusals('merchant', () => scene, cases);

describe('after a refusal the voucher can be used', () => {
  test('when the SMS could not be sent: it is ACTIVE and can be claimed again', async () => {
    const gift = await scene.gift({ owner: newOwner('006') });
    expect((await claim(gift)).body.statusCode).toBe(5003);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
    expect((await redeem(gift, { verificationCode: '123456' })).body.statusCode).toBe(4034);
    expect((await claim(gift)).body.statusCode).toBe(5003);
  });

  test('when the payment was refused: it is ACTIVE and its money reserved again', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '006' });
    const client = await merchantClient(scene.stack, merchant);
    const gift = await scene.gift({ merchant });
    const before = await scene.asPartner.get('/info/get-current-balance');
    const verificationCode = await scene.claimed(client, gift);
    const refused = await redeem(gift, { verificationCode }, client);
    expect(refused.body).toMatchObject({ statusCode: 5031, data: null });
    expect(await scene.voucher(gift)).toEqual({
      status: 'ACTIVE',
      remaining: '100.000000',
      held: '0.000000',
      returned: '0.000000',
      current_claim_id: null,
    });
    expect((await scene.asPartner.get('/info/get-current-balance')).body).toEqual(before.body);

    const again = await redeem(gift, { verificationCode }, client);
    expect(again.body.statusCode).toBe(4034);
    await scene.stack.database
      .updateTable('merchant_payout_accounts')
      .set({ party_value: scene.merchant.payoutNumber })
      .where('merchant_id', '=', merchant.id)
      .execute();
    expect((await scene.redeemed(client, gift)).body.success).toBe(true);
  });

  test('when a redemption was in progress: its own caller gets the result', async () => {
    const { gift, merchant, waiting, client } = await giftInProgress();
    expect((await claim(gift, {}, client)).body.statusCode).toBe(4092);
    await scene.settlePayout(merchant, 'completed');
    expect((await waiting).body).toMatchObject({ success: true, statusCode: 200 });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED', remaining: '0.000000' });
  });
});

test('no refusal before the owner’s code was checked tells whether a code is right', async () => {
  const gift = await scene.gift();
  await scene.claimed(asMerchant, gift);
  const right = await newestCode(scene.stack, gift.owner ?? '');
  const answers = await Promise.all(
    [right, otherCode(right)].map((verificationCode) =>
      redeem(gift, { verificationCode, idempotencyKey: 'same words' }, asOther),
    ),
  );
  expect(answers[0]?.body).toEqual(answers[1]?.body);
});
