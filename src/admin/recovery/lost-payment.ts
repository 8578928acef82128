import { sql } from 'kysely';
import type { Database } from '../../db/connection.ts';
import type { LostPayment } from '../../db/recovery/recovered-payments.ts';
import type { ComparedTransaction } from './compare-books.ts';

/** The serial number in the description of a payment (activities/redemptions/payments.ts). */
const SERIAL_NUMBER = /\bvoucher (\S+)$/;

/** What is known of a lost payment; undefined where even its amount is not. */
export async function lostPaymentOf(
  database: Database,
  found: ComparedTransaction,
): Promise<LostPayment | undefined> {
  const { kind, provider, reference, providerReference, status, at, party, description } = found;
  const amount = found.amount ?? (await packagePrice(database, found.productId));
  if (reference === null || amount === undefined) return undefined;
  return {
    kind,
    provider,
    reference,
    providerReference,
    providerStatus: status === 'pending' ? 'pending' : 'completed',
    madeAt: at,
    party,
    amount,
    serialNumber: SERIAL_NUMBER.exec(description ?? '')?.[1] ?? null,
    // "msisdn +251911000000": the payout account of the merchant.
    payee: party?.split(', ')[0]?.split(' ').slice(1).join(' ') ?? null,
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
