import { sql } from 'kysely';
import type { Database } from '../../db/connection.ts';
import type { LostOrder } from '../../db/recovery/found-placements.ts';
import type { ComparedTransaction } from './compare-books.ts';

/** The serial number in the description of a payment (activities/redemptions/payments.ts). */
const SERIAL_NUMBER = /\bvoucher (\S+)$/;

/** What is known of a lost payment or top-up; undefined where even its amount is not. */
export async function lostPaymentOf(
  database: Database,
  found: ComparedTransaction,
): Promise<LostOrder | undefined> {
  const { kind, provider, reference, providerReference, at, party, description } = found;
  const amount = found.amount ?? (await packagePrice(database, found.productId));
  if (reference === null || amount === undefined) return undefined;
  return {
    kind,
    provider,
    reference,
    providerReference,
    madeAt: at,
    party,
    amount,
    serialNumber: SERIAL_NUMBER.exec(description ?? '')?.[1] ?? null,
  };
}

/** The price of a package, if all our products of it have the same. */
async function packagePrice(
  database: Database,
  productId: string | null,
): Promise<string | undefined> {
  if (productId === null || !/^\d{1,9}$/.test(productId)) return undefined;
  const { rows } = await sql<{ price: string | null }>`
    select min(price_amount)::text as price from products
    where provider_product_id = ${productId}
    having count(distinct price_amount) = 1`.execute(database);
  return rows[0]?.price ?? undefined;
}
