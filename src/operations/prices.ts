import { lockCompany } from '../db/access/company-access.ts';
import { findPrice, type NewPrice, priceSubjects, replacePrice } from '../db/catalogue/prices.ts';
import type { DatabaseTransaction } from '../db/connection.ts';
import { parseMoney } from '../domain/money.ts';

type Stored = Awaited<ReturnType<typeof replacePrice>>;

/** The result of a new selling price, or the subject that does not exist or is not active. */
type PriceSet =
  | {
      readonly ok: true;
      readonly stored: Stored;
      /**
       * The details for the audit log; undefined where the price has this value already, so that nothing was written.
       */
      readonly details?: {
        readonly denominationId: number;
        /** Decimal string in ETB: the amount of the voucher. */
        readonly amount: string;
        readonly merchantId: number | null;
        /** Decimal string in USD: the previous price; null where there was none. */
        readonly before: string | null;
        readonly after: string;
      };
    }
  | { readonly ok: false; readonly missing: 'denomination' | 'merchant' };

/** Sets a partner's selling price for vouchers that are generated from now on; the previous price stays as history. */
export async function setSellingPrice(
  transaction: DatabaseTransaction,
  price: NewPrice,
): Promise<PriceSet> {
  // Before the present price is read: another person may be setting one.
  await lockCompany(transaction, { kind: 'partner', id: price.partnerId });
  const { amount, hasMerchant } = await priceSubjects(transaction, price);
  if (amount === null) return { ok: false, missing: 'denomination' };
  if (!hasMerchant) return { ok: false, missing: 'merchant' };
  const current = await findPrice(transaction, price);
  const before = current?.selling_price_usd ?? null;
  const { denominationId, merchantId, sellingPriceUsd: after } = price;
  if (current && parseMoney(current.selling_price_usd) === parseMoney(after))
    return { ok: true, stored: current };
  const stored = await replacePrice(transaction, price);
  return { ok: true, stored, details: { denominationId, amount, merchantId, before, after } };
}
