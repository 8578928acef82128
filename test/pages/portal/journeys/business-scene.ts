import { sql } from 'kysely';
import { setGiftScene } from '../../../end-to-end/gift/gift-scene.ts';
import { sale } from '../../../end-to-end/topups/topup-scene.ts';
import { merchantClient, partnerClient } from '../../../support/clients.ts';
import { deposit, makeMerchant, makePartner } from '../../../support/companies.ts';
import { makeTopupProducts } from '../../../support/topups.ts';
import { makeAccount, signedIn } from '../portal-client.ts';

/** What attackers call themselves: markup, and a formula. */
const HOSTILE = '=<script>alert(1)</script>"\'><img src=x onerror=alert(2)>';

export type BusinessScene = Awaited<ReturnType<typeof setBusinessScene>>;

/**
 * A partner and a merchant after a day of business, each with somebody at the portal, and others of
 * whom they must see nothing.
 */
export async function setBusinessScene() {
  const scene = await setGiftScene();
  const { stack, partner, asPartner } = scene;
  const { database } = stack;
  const merchant = await makeMerchant(stack, { merchant_name: HOSTILE });
  const asMerchant = await merchantClient(stack, merchant);
  const products = await makeTopupProducts(stack, partner);
  await database
    .updateTable('products')
    .set({ product_name: HOSTILE, metadata: JSON.stringify({ note: HOSTILE }) })
    .where('id', '=', products.ethioPackage)
    .execute();
  await deposit(stack, partner.id, '5000', 'airtime');

  const whole = await scene.gift({ merchant, denomination: 500 });
  const wholeCode = await scene.claimed(asMerchant, whole);
  await asMerchant.post('/topup-transactions/redeem-gift', {
    voucherCode: whole.voucherCode,
    verificationCode: wholeCode,
  });
  const part = await scene.gift({ merchant, denomination: 1000 });
  await scene.redeemed(asMerchant, part, { amount: 300 });
  const cancelled = await scene.gift({ merchant, denomination: 100 });
  await scene.cancel(cancelled);
  const refusing = await makeMerchant(stack, { payoutSuffix: '006' });
  const refused = await scene.gift({ merchant: refusing });
  await scene
    .redeemed(await merchantClient(stack, refusing), refused)
    .catch(() => 'the payment was refused');

  const topup = async (path: string, body: object) =>
    (await asPartner.post(`/topup-transactions/${path}`, { ...body, ...sale })).body.data;
  const delivered = await topup('airtime-topup', { amount: 50, msisdn: '+251911000050' });
  const failed = await topup('airtime-topup', { amount: 25, msisdn: '+251911000002' });
  const packaged = await topup('airtime-package-topup', {
    productId: products.ethioPackage,
    msisdn: '+251911000051',
  });

  const other = await makePartner(stack);
  await makeTopupProducts(stack, other);
  await deposit(stack, other.id, '100', 'airtime');
  const foreign = await scene.gift({ partner: other });
  const asOther = await partnerClient(stack, other);
  const foreignTopup = (
    await asOther.post('/topup-transactions/airtime-topup', {
      amount: 30,
      msisdn: '+251911000052',
      ...sale,
    })
  ).body.data;

  const people = async (kind: 'partner' | 'merchant', id: number) =>
    signedIn(stack, await makeAccount(stack, { kind, id }));

  return {
    ...scene,
    merchant,
    wholeCode,
    gifts: { whole, part, cancelled, refused, foreign },
    topups: { delivered, failed, packaged, foreign: foreignTopup },
    refusing,
    other,
    people,
    asPerson: await people('partner', partner.id),
    asMerchantPerson: await people('merchant', merchant.id),
    /** The serial number of a gift. */
    serialOf: async ({ id }: { readonly id: number }): Promise<string> =>
      (
        await database
          .selectFrom('vouchers')
          .select('serial_number')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).serial_number,
    /** What the ledger paid to mobile money for a merchant's redemptions, as a decimal string. */
    async paidByLedger(merchantId: number): Promise<string> {
      const { rows } = await sql<{ sum: string }>`
        select coalesce(sum(amount), 0)::numeric(20, 2)::text as sum from ledger_transfers
        join ledger_accounts as credit on credit.id = credit_account_id
        where credit.kind = 'mobile-money-clearing' and operation_id in (
          select operation_id from redemptions where merchant_id = ${merchantId})`.execute(
        database,
      );
      return rows[0]?.sum ?? '';
    },
  };
}

/** The text of a page's cells, row by row, without markup. */
export const cellsOf = (html: string): string[][] =>
  [...html.matchAll(/<tr role="row">(.*?)<\/tr>/gs)]
    .map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => textOf(cell)),
    )
    .filter((row) => row.length > 0);

/** A page's text. */
export const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
