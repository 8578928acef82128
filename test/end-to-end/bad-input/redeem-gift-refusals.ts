import { expect } from 'vitest';
import { newOwner, otherCode, REDEEM } from '../gift/gift-scene.ts';
import { attemptsOf, type GiftRefusal, UNKNOWN_CODE, UNKNOWN_ID } from './gift-refusals.ts';

const verificationCode = '123456';

/** What `redeem-gift` refuses, on both APIs where nothing else is said. */
export const redeemGiftRefusals = attemptsOf('redeem-gift', REDEEM, [
  {
    reason: 'voucher-not-found',
    arrange: async () => [{ voucherCode: UNKNOWN_CODE }, { verificationCode }],
  },
  {
    on: 'partner',
    reason: 'voucher-not-found',
    when: 'of another partner, with its right code',
    arrange: async ({ claimedGift, otherClient }) => {
      const { gift, verificationCode: code } = await claimedGift();
      return [gift, { verificationCode: code }, otherClient];
    },
  },
  {
    reason: 'voucher-not-found',
    when: 'cancelled',
    arrange: async ({ cancelledGift }) => [await cancelledGift(), { verificationCode }],
  },
  {
    reason: 'voucher-restricted',
    arrange: async ({ claimedGift, elsewhere }) => {
      const { gift, verificationCode: code } = await claimedGift();
      return elsewhere(gift, { verificationCode: code });
    },
  },
  {
    reason: 'voucher-restricted',
    when: 'anonymous',
    arrange: async ({ anonymousGift, elsewhere }) => elsewhere(await anonymousGift()),
  },
  {
    on: 'partner',
    reason: 'merchant-not-found',
    arrange: async ({ gift }) => [
      await gift({ owner: null, isRestricted: false }),
      { merchantId: UNKNOWN_ID },
    ],
  },
  {
    reason: 'merchant-not-found',
    when: 'deactivated',
    arrange: async ({ surface, gift, otherMerchant, deactivated, asDeactivated }) => {
      const one = await gift({ merchant: otherMerchant, owner: null, isRestricted: false });
      return surface === 'partner'
        ? [one, { merchantId: deactivated.id }]
        : [one, {}, asDeactivated];
    },
  },
  {
    on: 'merchant',
    reason: 'partner-unavailable',
    arrange: async ({ orphanedGift }) => [await orphanedGift(null)],
  },
  {
    reason: 'voucher-redeemed',
    arrange: async ({ redeemedGift }) => [await redeemedGift(), { verificationCode }],
  },
  {
    on: 'partner',
    reason: 'redemption-in-progress',
    when: 'another redemption of the rest',
    statusCode: { partner: 409 },
    partnerData: { referenceNumber: expect.stringMatching(/^RDM-[0-9A-F]{16}$/) },
    arrange: async ({ payee, gift, redeem, untilPaidTo }) => {
      const { merchant } = await payee('partner', { payoutSuffix: '014' });
      const one = await gift({ merchant, owner: null });
      void redeem(one, { amount: 40 });
      await untilPaidTo(merchant);
      return [one, { amount: 10 }];
    },
  },
  {
    on: 'merchant',
    reason: 'redemption-in-progress',
    when: 'with its own code, under another key',
    arrange: async ({ giftInProgress }) => {
      const { gift, client, verificationCode: code } = await giftInProgress();
      return [gift, { verificationCode: code }, client];
    },
  },
  {
    on: 'merchant',
    reason: 'redemption-in-progress',
    when: 'by another merchant',
    arrange: async ({ giftInProgress, otherClient }) => {
      const { gift } = await giftInProgress();
      return [gift, { verificationCode }, otherClient];
    },
  },
  {
    reason: 'voucher-expired',
    arrange: async ({ gift, claimed, client, expire }) => {
      const one = await gift();
      const code = await claimed(client, one);
      await expire(one);
      return [one, { verificationCode: code }];
    },
  },
  {
    reason: 'voucher-expired',
    when: 'anonymous',
    arrange: async ({ expiredGift }) => [await expiredGift(null)],
  },
  ...[{}, { verificationCode: null }, { verificationCode: '' }, { verificationCode: ' ' }].map(
    (code): GiftRefusal => ({
      reason: 'verification-code-missing',
      when: JSON.stringify(code),
      arrange: async ({ claimedGift }) => [(await claimedGift()).gift, code],
    }),
  ),
  {
    reason: 'claim-not-found',
    arrange: async ({ unclaimedGift }) => [await unclaimedGift(), { verificationCode }],
  },
  {
    on: 'merchant',
    reason: 'claim-not-found',
    when: 'claimed by another merchant',
    arrange: async ({ gift, claimed, client, otherClient }) => {
      const one = await gift({ isRestricted: false });
      const code = await claimed(client, one);
      return [one, { verificationCode: code }, otherClient];
    },
  },
  {
    reason: 'claim-not-found',
    when: 'claimed on the other API',
    arrange: async ({ surface, gift, claimed, asPartner, asMerchant }) => {
      const one = await gift();
      const code = await claimed(surface === 'partner' ? asMerchant : asPartner, one);
      return [one, { verificationCode: code }];
    },
  },
  {
    reason: 'verification-code-incorrect',
    arrange: async ({ claimedGift }) => {
      const { gift, verificationCode: code } = await claimedGift();
      return [gift, { verificationCode: otherCode(code) }];
    },
  },
  {
    reason: 'msisdn-not-owner',
    statusCode: { partner: 403, merchant: 4035 },
    arrange: async ({ claimedGift }) => {
      const { gift, verificationCode: code } = await claimedGift();
      return [gift, { verificationCode: code, msisdn: newOwner() }];
    },
  },
  {
    reason: 'service-fee-missing',
    statusCode: { partner: 500, merchant: 5001 },
    arrange: async ({ feelessGifts }) => {
      const { anonymous, client } = await feelessGifts();
      return [anonymous, {}, client];
    },
  },
  {
    reason: 'amount-exceeds-balance',
    arrange: async ({ anonymousGift }) => [await anonymousGift(), { amount: '100.01' }],
  },
  {
    reason: 'balance-negative-after-fee',
    statusCode: { partner: 403 },
    arrange: async ({ anonymousGift }) => [await anonymousGift(), { amount: 97.57 }],
  },
  {
    on: 'partner',
    reason: 'balance-negative-after-fee',
    when: 'of the amount that was claimed',
    statusCode: { partner: 403 },
    arrange: async ({ gift, claimed, client }) => {
      const one = await gift({ isRestricted: false });
      const code = await claimed(client, one, { amount: 97.57 });
      return [one, { verificationCode: code }];
    },
  },
  {
    reason: 'balance-negative-after-fee',
    when: 'the fee takes everything',
    statusCode: { partner: 403 },
    arrange: async ({ surface, payee, gift }) => {
      const { merchant, client } = await payee(surface, { service_fee_percent: '100' });
      const one = await gift({ merchant, owner: null });
      return [one, {}, client];
    },
  },
  {
    reason: 'payout-account-missing',
    statusCode: { partner: 404, merchant: 5031 },
    arrange: async ({ surface, stack, payee, gift }) => {
      const { merchant, client } = await payee(surface);
      const one = await gift({ merchant, owner: null });
      await stack.database
        .updateTable('merchant_payout_accounts')
        .set({ replaced_at: new Date() })
        .where('merchant_id', '=', merchant.id)
        .execute();
      return [one, {}, client];
    },
  },
  {
    reason: 'payment-refused',
    says: 'The payee account is barred',
    arrange: async ({ surface, payee, gift }) => {
      const { merchant, client } = await payee(surface, { payoutSuffix: '003' });
      const one = await gift({ merchant, owner: null });
      return [one, { amount: 40 }, client];
    },
  },
]);
