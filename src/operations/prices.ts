import { findPrice, type NewPrice, priceSubjects, replacePrice } from '../db/catalogue/prices.ts';
import type { DatabaseTransaction } from '../db/connection.ts';
import { parseMoney } from '../domain/money.ts';

type Stored = Awaited<ReturnType<typeof replacePrice>>;

/** The result of a new selling price, or the subject that does not exist or is not active. */
export type PriceSet =
  | {
      readonly ok: true;
      /** False where the price has this value already: then nothing is written. */
      readonly isChanged: boolean;
      /** Decimal string; null where there was none. */
      readonly before: string | null;
      readonly stored: Stored;
    }
  | { readonly ok: false; readonly missing: 'denomination' | 'merchant' };

/** Sets a partner's selling price for vouchers that are generated from now on; the previous price stays as history. */
export async function setSellingPrice(
  transaction: DatabaseTransaction,
  price: NewPrice,
): Promise<PriceSet> {
  const { hasDenomination, hasMerchant } = await priceSubjects(transaction, price);
  if (!hasDenomination) return { ok: false, missing: 'denomination' };
  if (!hasMerchant) return { ok: false, missing: 'merchant' };
  const current = await findPrice(transaction, price);
  const before = current?.selling_price_usd ?? null;
  if (current && parseMoney(current.selling_price_usd) === parseMoney(price.sellingPriceUsd))
    return { ok: true, isChanged: false, before, stored: current };
  return { ok: true, isChanged: true, before, stored: await replacePrice(transaction, price) };
}
