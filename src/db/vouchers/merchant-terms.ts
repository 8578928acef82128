import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** A merchant's service fee and payout account. */
export interface MerchantTerms {
  /** Decimal string; null until an operator sets it. */
  readonly serviceFeePercent: string | null;
  readonly payout: {
    /** The key of a GSMA party, such as msisdn. */
    readonly key: string;
    readonly value: string;
    readonly since: Date;
  } | null;
}

/** The current terms of a merchant. */
export async function readMerchantTerms(
  database: Database,
  merchantId: number,
): Promise<MerchantTerms> {
  const { rows } = await sql<{
    fee: string | null;
    key: string | null;
    value: string | null;
    since: Date | null;
  }>`
    select service_fee_percent as fee, party_key as key, party_value as value,
      payout.created_at as since
    from merchants
    left join merchant_payout_accounts as payout
      on payout.merchant_id = merchants.id and payout.replaced_at is null
    where merchants.id = ${merchantId}`.execute(database);
  const [row] = rows;
  const payout =
    row?.key && row.value && row.since
      ? { key: row.key, value: row.value, since: row.since }
      : null;
  return { serviceFeePercent: row?.fee ?? null, payout };
}
