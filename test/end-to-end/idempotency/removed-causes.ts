import { randomUUID } from 'node:crypto';
import type { Reason, Surface } from '../../../src/domain/refusals.ts';
import { type Answer, partnerClient } from '../../support/clients.ts';
import { deposit, makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import {
  CLAIM,
  type Client,
  GENERATE,
  type GiftScene,
  newOwner,
  REDEEM,
} from '../gift/gift-scene.ts';
import { AIRTIME, PACKAGE, RETRY, sale } from '../topups/topup-scene.ts';

/** A request that is refused, and the end of its cause. */
interface Refused {
  readonly client: Client;
  readonly path: string;
  readonly body: Record<string, unknown>;
  removeCause(): Promise<unknown>;
}

/** A refusal that held nothing, sent nothing and counted no guess. */
export interface RemovedCause {
  readonly surface: Surface;
  readonly operation: string;
  readonly reason: Reason;
  readonly statusCode: number;
  arrange(scene: GiftScene): Promise<Refused>;
}

async function ownPartner(scene: GiftScene, options?: Parameters<typeof makePartner>[1]) {
  const partner = await makePartner(scene.stack, options);
  return { partner, client: await partnerClient(scene.stack, partner) };
}

const order = (scene: GiftScene, denominationId: number, merchant: object = {}) => ({
  denominationId,
  merchantId: scene.merchant.id,
  msisdn: newOwner(),
  ...merchant,
});

/** Takes the access to all products away; what comes back gives it again. */
async function withoutAccess({ stack }: GiftScene, partner: TestPartner) {
  const rows = await stack.database
    .deleteFrom('partner_products')
    .where('partner_id', '=', partner.id)
    .returningAll()
    .execute();
  return () => stack.database.insertInto('partner_products').values(rows).execute();
}

/** A top-up of a partner of its own with this much in its airtime wallet. */
async function topupSide(scene: GiftScene, airtimeWallet = '0') {
  const { partner, client } = await ownPartner(scene);
  const products = await makeTopupProducts(scene.stack, partner);
  if (airtimeWallet !== '0') await deposit(scene.stack, partner.id, airtimeWallet, 'airtime');
  return {
    partner,
    client,
    products,
    airtime: { amount: 50, msisdn: newOwner(), ...sale },
    bundle: { productId: products.ethioPackage, msisdn: newOwner(), ...sale },
    fill: () => deposit(scene.stack, partner.id, '1000', 'airtime'),
  };
}

const generations: readonly Omit<RemovedCause, 'surface' | 'operation'>[] = [
  {
    reason: 'price-not-defined',
    statusCode: 404,
    async arrange(scene) {
      const { partner, client } = await ownPartner(scene);
      const denominationId = partner.denominations.unpriced;
      const price = { denominationId, sellingPriceUsd: '7.10' };
      const removeCause = () => client.post('/partner-gift-denomination-prices', price);
      return { client, path: GENERATE, body: order(scene, denominationId), removeCause };
    },
  },
  {
    reason: 'money-insufficient',
    statusCode: 405,
    async arrange(scene) {
      const { partner, client } = await ownPartner(scene, { giftWallet: '100' });
      const removeCause = () => deposit(scene.stack, partner.id, '1000');
      return {
        client,
        path: GENERATE,
        body: order(scene, partner.denominations[500]),
        removeCause,
      };
    },
  },
  {
    reason: 'product-not-accessible',
    statusCode: 404,
    async arrange(scene) {
      const { partner, client } = await ownPartner(scene);
      const removeCause = await withoutAccess(scene, partner);
      return {
        client,
        path: GENERATE,
        body: order(scene, partner.denominations[100]),
        removeCause,
      };
    },
  },
  {
    reason: 'denomination-not-found',
    statusCode: 404,
    async arrange(scene) {
      const { partner, client } = await ownPartner(scene);
      const id = partner.denominations[100];
      const set = (status: 'ACTIVE' | 'INACTIVE') =>
        scene.stack.database
          .updateTable('gift_denominations')
          .set({ status })
          .where('id', '=', id)
          .execute();
      await set('INACTIVE');
      const removeCause = () => set('ACTIVE');
      return { client, path: GENERATE, body: order(scene, id), removeCause };
    },
  },
  {
    reason: 'merchant-not-found',
    statusCode: 404,
    async arrange(scene) {
      const { partner, client } = await ownPartner(scene);
      const identifier = randomUUID();
      const merchant = { merchantId: undefined, merchantIdentifier: identifier };
      const body = order(scene, partner.denominations[100], merchant);
      const removeCause = () => makeMerchant(scene.stack, { identifier });
      return { client, path: GENERATE, body, removeCause };
    },
  },
];

const topups: readonly Omit<RemovedCause, 'surface'>[] = [
  {
    operation: 'airtime',
    reason: 'money-insufficient',
    statusCode: 400,
    async arrange(scene) {
      const { client, airtime, fill } = await topupSide(scene);
      return { client, path: AIRTIME, body: airtime, removeCause: fill };
    },
  },
  {
    operation: 'airtime',
    reason: 'product-not-accessible',
    statusCode: 404,
    async arrange(scene) {
      const { partner, client, airtime } = await topupSide(scene, '1000');
      const removeCause = await withoutAccess(scene, partner);
      return { client, path: AIRTIME, body: airtime, removeCause };
    },
  },
  {
    operation: 'package',
    reason: 'money-insufficient',
    statusCode: 405,
    async arrange(scene) {
      const { client, bundle, fill } = await topupSide(scene);
      return { client, path: PACKAGE, body: bundle, removeCause: fill };
    },
  },
  {
    operation: 'retry',
    reason: 'money-insufficient',
    statusCode: 405,
    async arrange(scene) {
      const { client, airtime, fill } = await topupSide(scene, '50');
      const transactionId = await failedTopup(client, airtime);
      await client.post(AIRTIME, airtime);
      const body = { transactionId, msisdn: newOwner() };
      return { client, path: RETRY, body, removeCause: fill };
    },
  },
  {
    operation: 'retry',
    reason: 'product-not-accessible',
    statusCode: 404,
    async arrange(scene) {
      const { partner, client, airtime } = await topupSide(scene, '1000');
      const transactionId = await failedTopup(client, airtime);
      const removeCause = await withoutAccess(scene, partner);
      const body = { transactionId, msisdn: newOwner() };
      return { client, path: RETRY, body, removeCause };
    },
  },
];

async function failedTopup(client: Client, airtime: object): Promise<number> {
  const failed: Answer = await client.post(AIRTIME, { ...airtime, msisdn: newOwner('002') });
  return failed.body.data.transactionId;
}

const expiredGift = async (scene: GiftScene, owner?: null) => {
  const gift = await scene.gift(owner === null ? { owner } : {});
  await scene.expire(gift);
  const { voucherCode } = gift;
  return { body: { voucherCode }, removeCause: () => scene.expire(gift, 1) };
};

export const removedCauses: readonly RemovedCause[] = [
  ...generations.map((one) => ({ surface: 'partner', operation: 'generation', ...one }) as const),
  ...topups.map((one) => ({ surface: 'partner', ...one }) as const),
  {
    surface: 'merchant',
    operation: 'claim',
    reason: 'voucher-expired',
    statusCode: 4036,
    arrange: async (scene) => ({
      client: scene.asMerchant,
      path: CLAIM,
      ...(await expiredGift(scene)),
    }),
  },
  {
    surface: 'partner',
    operation: 'redemption',
    reason: 'voucher-expired',
    statusCode: 403,
    arrange: async (scene) => ({
      client: scene.asPartner,
      path: REDEEM,
      ...(await expiredGift(scene, null)),
    }),
  },
  {
    surface: 'partner',
    operation: 'message again',
    reason: 'nothing-to-resend',
    statusCode: 404,
    async arrange(scene) {
      const gift = await scene.gift();
      const path = `/vouchers/${gift.id}/resend`;
      const removeCause = () => scene.claimed(scene.asMerchant, gift);
      return { client: scene.asPartner, path, body: {}, removeCause };
    },
  },
  {
    surface: 'partner',
    operation: 'redemption',
    reason: 'merchant-not-found',
    statusCode: 404,
    async arrange(scene) {
      const merchant = await makeMerchant(scene.stack);
      const { voucherCode } = await scene.gift({ owner: null, isRestricted: false });
      const set = (status: 'ACTIVE' | 'DEACTIVATED') =>
        scene.stack.database
          .updateTable('merchants')
          .set({ status })
          .where('id', '=', merchant.id)
          .execute();
      await set('DEACTIVATED');
      const removeCause = () => set('ACTIVE');
      const body = { voucherCode, merchantId: merchant.id };
      return { client: scene.asPartner, path: REDEEM, body, removeCause };
    },
  },
];
