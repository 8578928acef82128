import { z } from 'zod';
import type { Money } from '../domain/money.js';
import { moneyOf } from './amounts.js';
import type { DemoCaller } from './caller.js';
import { DemoError } from './demo-error.js';

export interface Balances {
  readonly gift: Money;
  readonly reserved: Money;
  readonly airtime: Money;
}

export interface GiftOrder {
  readonly denominationId: number;
  readonly merchantId: number;
  /** Null for an anonymous voucher. */
  readonly msisdn: string | null;
}

const balancesSchema = z.object({
  data: z.object({
    walletBalance: z.number(),
    eMoneyWalletBalance: z.number(),
    reservedBalance: z.number(),
  }),
});
const denominationsSchema = z.object({
  data: z.array(z.object({ id: z.number(), status: z.string(), amountEtb: z.number() })),
});
const voucherSchema = z.object({
  data: z.object({ voucher: z.object({ voucherCode: z.string(), amount: z.string() }) }),
});
const redeemedSchema = z.object({ data: z.object({ referenceNumber: z.string() }) });

export async function readBalances(partner: DemoCaller, title: string): Promise<Balances> {
  const path = '/info/get-current-balance';
  const { data } = await partner({ title, path, answer: balancesSchema });
  return {
    gift: moneyOf(data.eMoneyWalletBalance),
    reserved: moneyOf(data.reservedBalance),
    airtime: moneyOf(data.walletBalance),
  };
}

/**
 * Calls the test endpoint, reads denominations and merchants, and sets a price; returns the
 * denominations.
 */
export async function prepareSale(partner: DemoCaller, merchantId: number) {
  await partner({
    title: 'It checks its configuration: key, address and token are in order.',
    path: '/test',
    answer: z.object({ test: z.literal('success') }),
  });
  const { data: denominations } = await partner({
    title: 'It lists the amounts of gifts.',
    path: '/gift-denominations',
    answer: denominationsSchema,
  });
  await partner({
    title: 'It lists the merchants where gifts can be redeemed.',
    path: '/merchants?page=1&limit=2',
    answer: z.object({ data: z.array(z.object({ id: z.number() })).min(1) }),
  });
  const denominationOf = (amountEtb: number): number => {
    const found = denominations.find(
      (denomination) => denomination.status === 'ACTIVE' && denomination.amountEtb === amountEtb,
    );
    if (!found) throw new DemoError(`There is no active denomination of ${amountEtb} ETB.`);
    return found.id;
  };
  await partner({
    title: 'It sets its selling price of a gift of 500 ETB at this merchant, in USD.',
    path: '/partner-gift-denomination-prices',
    body: { denominationId: denominationOf(500), sellingPriceUsd: '4.75', merchantId },
    answer: z.object({ success: z.literal(true) }),
  });
  return denominationOf;
}

export async function generateVoucher(partner: DemoCaller, title: string, order: GiftOrder) {
  const path = '/topup-transactions/generate-voucher';
  const { data } = await partner({ title, path, body: order, answer: voucherSchema });
  return { code: data.voucher.voucherCode, amount: moneyOf(data.voucher.amount) };
}

export const claimPart = (
  partner: DemoCaller,
  title: string,
  voucherCode: string,
  amount: number,
) =>
  partner({
    title,
    path: '/topup-transactions/initiate-claim',
    body: { voucherCode, amount },
    answer: z.object({ success: z.literal(true) }),
  });

export const redeemForOwner = (
  partner: DemoCaller,
  title: string,
  request: { readonly voucherCode: string; readonly verificationCode: string },
) =>
  partner({
    title,
    path: '/topup-transactions/redeem-gift',
    body: request,
    answer: redeemedSchema,
  });
