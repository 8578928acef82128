import type { Surface } from '../../../src/domain/refusals.ts';
import { atProvider } from '../../positions/placements.ts';
import { merchantClient } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import { type Client, type Gift, REDEEM, setGiftScene, settled } from './gift-scene.ts';

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
