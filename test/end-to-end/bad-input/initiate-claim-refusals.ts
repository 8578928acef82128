import { merchantClient } from '../../support/clients.ts';
import { CLAIM, newOwner } from '../gift/gift-scene.ts';
import { attemptsOf, type Table, UNKNOWN_CODE } from './gift-refusals.ts';

/** What `initiate-claim` refuses, on both APIs where nothing else is said. */
export const initiateClaimRefusals = attemptsOf('initiate-claim', CLAIM, [
  {
    reason: 'voucher-not-found',
    arrange: async () => [{ voucherCode: UNKNOWN_CODE }],
  },
  {
    on: 'merchant',
    reason: 'voucher-not-found',
    when: 'a text that can be no code',
    arrange: async () => [{ voucherCode: 'my voucher' }],
  },
  {
    reason: 'voucher-not-found',
    when: 'of another partner, or restricted to another merchant',
    arrange: async ({ unclaimedGift, otherClient }) => [await unclaimedGift(), {}, otherClient],
  },
  {
    reason: 'voucher-not-found',
    when: 'cancelled',
    arrange: async ({ cancelledGift }) => [await cancelledGift()],
  },
  {
    on: 'merchant',
    reason: 'merchant-not-found',
    statusCode: { merchant: 4043 },
    arrange: async ({ gift, otherMerchant, asDeactivated }) => [
      await gift({ merchant: otherMerchant, isRestricted: false }),
      {},
      asDeactivated,
    ],
  },
  {
    on: 'merchant',
    reason: 'partner-unavailable',
    statusCode: { merchant: 4045 },
    arrange: async ({ orphanedGift }) => [await orphanedGift()],
  },
  {
    reason: 'voucher-redeemed',
    arrange: async ({ redeemedGift }) => [await redeemedGift()],
  },
  {
    reason: 'redemption-in-progress',
    statusCode: { partner: 409, merchant: 4092 },
    arrange: async ({ giftInProgress }) => {
      const { gift, client } = await giftInProgress();
      return [gift, {}, client];
    },
  },
  {
    reason: 'voucher-expired',
    statusCode: { partner: 403, merchant: 4036 },
    arrange: async ({ expiredGift }) => [await expiredGift()],
  },
  {
    reason: 'claim-not-needed',
    statusCode: { partner: 400, merchant: 400 },
    arrange: async ({ anonymousGift }) => [await anonymousGift()],
  },
  {
    on: 'merchant',
    reason: 'service-fee-missing',
    arrange: async ({ feelessGifts }) => {
      const { owned, client } = await feelessGifts();
      return [owned, {}, client];
    },
  },
  {
    reason: 'amount-exceeds-balance',
    arrange: async ({ unclaimedGift }) => [await unclaimedGift(), { amount: 100.01 }],
  },
  {
    reason: 'amount-exceeds-balance',
    when: 'what a first redemption left',
    arrange: async ({ gift, redeemed, client }) => {
      const one = await gift();
      await redeemed(client, one, { amount: 40 });
      return [one, { amount: '59.01' }];
    },
  },
  {
    reason: 'message-not-queued',
    statusCode: { partner: 503, merchant: 5003 },
    says: 'InvalidPhoneNumber',
    arrange: async ({ gift }) => [await gift({ owner: newOwner('002') })],
  },
]);

/** What a merchant may not see of a voucher. */
export const voucherDetailRefusals: Table = {
  operation: 'voucher-detail',
  rows: [
    {
      reason: 'voucher-not-found',
      statusCode: { merchant: 4041 },
      arrange:
        async ({ asMerchant }) =>
        () =>
          asMerchant.get(`/topup-transactions/${UNKNOWN_CODE}`),
    },
    {
      reason: 'voucher-not-found',
      when: 'restricted to another merchant',
      statusCode: { merchant: 4041 },
      arrange: async ({ stack, unclaimedGift, otherMerchant }) => {
        const { voucherCode } = await unclaimedGift();
        const client = await merchantClient(stack, otherMerchant);
        return () => client.get(`/topup-transactions/${voucherCode}`);
      },
    },
    {
      reason: 'voucher-not-found',
      when: 'cancelled',
      statusCode: { merchant: 4041 },
      arrange: async ({ cancelledGift, asMerchant }) => {
        const { voucherCode } = await cancelledGift();
        return () => asMerchant.get(`/topup-transactions/${voucherCode}`);
      },
    },
    {
      reason: 'merchant-not-found',
      statusCode: { merchant: 4043 },
      arrange: async ({ gift, otherMerchant, asDeactivated }) => {
        const { voucherCode } = await gift({ merchant: otherMerchant, isRestricted: false });
        return () => asDeactivated.get(`/topup-transactions/${voucherCode}`);
      },
    },
    {
      reason: 'service-fee-missing',
      statusCode: { merchant: 5001 },
      arrange: async ({ stack, feelessGifts }) => {
        const { owned, merchant } = await feelessGifts();
        const client = await merchantClient(stack, merchant);
        return () => client.get(`/topup-transactions/${owned.voucherCode}`);
      },
    },
  ],
};
