import { sql } from 'kysely';
import type { Database } from '../connection.js';

/** What a merchant is charged, and where it is paid to. */
export interface MerchantTerms {
  /** Decimal string; null where an operator has not set it yet. */
  readonly serviceFeePercent: string | null;
  readonly payout: {
    /** As GSMA's parties have it, such as msisdn. */
    readonly key: string;
    readonly value: string;
    readonly since: Date;
  } | null;
}

/** The terms that hold for a merchant now. */
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
