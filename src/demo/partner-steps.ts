import type { Money } from '../domain/money.ts';
import { moneyOf } from './amounts.ts';
import type { DemoPartner } from './companies.ts';
import { DemoError } from './demo-error.ts';

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

export async function readBalances(partner: DemoPartner, title: string): Promise<Balances> {
  const balances = await partner(title, (client) => client.readBalances());
  return {
    gift: moneyOf(balances.eMoneyWalletBalance),
    reserved: moneyOf(balances.reservedBalance),
    airtime: moneyOf(balances.walletBalance),
  };
}

/**
 * Calls the test endpoint, reads denominations and merchants, and sets a price; returns the
 * denominations.
 */
export async function prepareSale(partner: DemoPartner, merchantId: number) {
  await partner('It checks its configuration: key, address and token are in order.', (client) =>
    client.checkAccess(),
  );
  const { items } = await partner('It lists the amounts of gifts.', ({ denominations }) =>
    denominations.list().firstPage(),
  );
  await partner('It lists the merchants where gifts can be redeemed.', ({ merchants }) =>
    merchants.list({ page: 1, limit: 2 }).firstPage(),
  );
  const denominationOf = (amountEtb: number): number => {
    const found = items.find((one) => one.status === 'ACTIVE' && one.amountEtb === amountEtb);
    if (!found) throw new DemoError(`There is no active denomination of ${amountEtb} ETB.`);
    return found.id;
  };
  const price = { denominationId: denominationOf(500), sellingPriceUsd: '4.75', merchantId };
  await partner(
    'It sets its selling price of a gift of 500 ETB at this merchant, in USD.',
    ({ prices }) => prices.set(price),
  );
  return denominationOf;
}

export async function generateVoucher(partner: DemoPartner, title: string, order: GiftOrder) {
  const { voucher } = await partner(title, ({ vouchers }) => vouchers.generate(order));
  return { code: voucher.voucherCode, amount: moneyOf(voucher.amount) };
}

export const claimPart = (
  partner: DemoPartner,
  title: string,
  voucherCode: string,
  amount: number,
) => partner(title, ({ vouchers }) => vouchers.initiateClaim({ voucherCode, amount }));

export const redeemForOwner = (
  partner: DemoPartner,
  title: string,
  request: { readonly voucherCode: string; readonly verificationCode: string },
) => partner(title, ({ vouchers }) => vouchers.redeem(request));
