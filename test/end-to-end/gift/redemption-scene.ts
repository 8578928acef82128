import { addRow } from '../../../src/db/connection.ts';
import type { Surface } from '../../../src/domain/refusals.ts';
import { atProvider } from '../../positions/placements.ts';
import { merchantClient } from '../../support/clients.ts';
import { makeMerchant, setPrice, type TestMerchant } from '../../support/companies.ts';
import {
  type Client,
  done,
  GENERATE,
  type Gift,
  newOwner,
  REDEEM,
  setGiftScene,
  settled,
} from './gift-scene.ts';

export type RedemptionScene = Awaited<ReturnType<typeof setRedemptionScene>>;

/** Redeems a gift; the answer, whatever it is. */
export const redeem = (client: Client, { voucherCode }: Gift, extra: object = {}) =>
  client.post(REDEEM, { voucherCode, ...extra });

/** The same, repeated under its key while it is being processed: its last answer. */
export const redeemToEnd = (client: Client, { voucherCode }: Gift, extra: object = {}) =>
  settled(client, REDEEM, { voucherCode, ...extra });

/** A gift scene with merchants of each test's own, and what redemptions leave behind. */
export async function setRedemptionScene(...settings: Parameters<typeof setGiftScene>) {
  const scene = await setGiftScene(...settings);
  const { database } = scene.stack;

  return {
    ...scene,

    /** A new merchant to be paid, and who redeems for it on a surface. */
    async payee(surface: Surface, options: Parameters<typeof makeMerchant>[1] = {}) {
      const merchant = await makeMerchant(scene.stack, options);
      const client: Client =
        surface === 'partner' ? scene.asPartner : await merchantClient(scene.stack, merchant);
      return { merchant, client };
    },

    /** An owned gift of an amount that has a denomination of its own. */
    async giftOf(merchant: TestMerchant, amount: string): Promise<Gift> {
      const { partner, asPartner } = scene;
      const denominationId = await addRow(database, 'gift_denominations', {
        product_id: partner.giftProductId,
        amount_etb: amount,
      });
      await setPrice(database, {
        partnerId: partner.id,
        denominationId,
        merchantId: null,
        sellingPriceUsd: '1',
      });
      const owner = newOwner();
      const asked = { denominationId, merchantId: merchant.id, msisdn: owner };
      const { id, voucherCode } = done(await asPartner.post(GENERATE, asked)).body.data.voucher;
      return { id: Number(id), voucherCode, owner, partner };
    },

    /** "97.50 completed", newest first. */
    amountsPaidTo: (merchant: TestMerchant) =>
      scene.payoutsTo(merchant).map(({ amount, status }) => `${amount} ${status}`),

    postedRedemptions: (gift: Gift) =>
      database
        .selectFrom('redemptions')
        .select(['to_merchant', 'service_fee', 'merchant_id'])
        .select(atProvider('redemptions.operation_id'))
        .where('voucher_id', '=', gift.id)
        .where('status', '=', 'POSTED')
        .orderBy('id')
        .execute(),

    /** The steps by which the redemptions of a gift moved money, oldest first. */
    async transfersOf(gift: Gift): Promise<string[]> {
      const transfers = await database
        .selectFrom('ledger_transfers')
        .innerJoin('redemptions', 'redemptions.operation_id', 'ledger_transfers.operation_id')
        .select(['ledger_transfers.step', 'ledger_transfers.amount'])
        .where('voucher_id', '=', gift.id)
        .orderBy('ledger_transfers.id')
        .execute();
      return transfers.map(({ step, amount }) => `${step} ${Number(amount).toFixed(2)}`);
    },

    /** The partner's balances as it reads them. */
    balances: async () => (await scene.asPartner.get('/info/get-current-balance')).body.data,
  };
}
