import { sql } from 'kysely';
import type { Database } from '../../connection.ts';
import { providerOf } from '../../positions/placements.ts';

/** Payments to one merchant by one provider that ended with the same words. */
export interface RefusedPayments {
  readonly merchantId: number;
  readonly merchant: string;
  readonly provider: string;
  /** What the provider, or the check of the payout account, said. */
  readonly message: string | null;
  readonly refused: number;
  /** Payments to the merchant by the provider that were paid in the same time. */
  readonly paid: number;
  /** ETB */
  readonly smallest: string;
  readonly largest: string;
  readonly lastAt: Date;
}

/**
 * Who was refused, by whom and why, among the newest redemptions: most refusals first. It reads the newest
 * rows by their ids, so that its cost does not grow with history.
 */
export async function listRefusedPayments(
  database: Database,
  newest: number,
): Promise<RefusedPayments[]> {
  const { rows } = await sql<RefusedPayments>`
    with newest as materialized (
      select merchant_id, ${providerOf(sql`redemptions.operation_id`)} as provider, status,
        to_merchant, provider_message, created_at
      from redemptions order by id desc limit ${newest}
    ),
    paid as (
      select merchant_id, provider, count(*)::int as count from newest
      where status = 'POSTED' group by merchant_id, provider
    )
    select merchants.id as "merchantId", merchant_name as merchant, newest.provider,
      provider_message as message, count(*)::int as refused,
      coalesce(max(paid.count), 0) as paid, min(to_merchant) as smallest,
      max(to_merchant) as largest, max(newest.created_at) as "lastAt"
    from newest
    join merchants on merchants.id = newest.merchant_id
    left join paid on paid.merchant_id = newest.merchant_id
      and paid.provider = newest.provider
    where newest.status = 'VOIDED'
    group by merchants.id, newest.provider, provider_message
    order by count(*) desc, max(newest.created_at) desc`.execute(database);
  return rows;
}
