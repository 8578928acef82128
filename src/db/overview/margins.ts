import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { type Days, isWithin } from '../days.ts';

/** What sales brought above their cost. Amounts are decimal strings and may be negative. */
export interface Margin {
  readonly kind: 'vouchers' | 'topups';
  /** Sales whose price and exchange rate are known. */
  readonly counted: number;
  readonly sales: number;
  /** Customers paid it. */
  readonly soldUsd: string;
  /** The cost in ETB at the exchange rate of each sale. */
  readonly costUsd: string;
  readonly marginUsd: string;
  readonly marginEtb: string;
}

/**
 * A partner's margins of some days: the selling price of each sale less its cost at the exchange
 * rate that the sale named. Vouchers count when they are generated, delivered top-ups when they
 * were sent.
 */
export async function readMargins(
  database: Database,
  partnerId: number,
  days: Days,
): Promise<Margin[]> {
  const { rows } = await sql<Margin>`
    select kind, count(sold) filter (where rate is not null) as counted, count(1) as sales,
      coalesce(sum(sold) filter (where rate is not null), 0)::numeric(20, 2) as "soldUsd",
      coalesce(sum(amount / rate) filter (where sold is not null), 0)::numeric(20, 2) as "costUsd",
      coalesce(sum(sold - amount / rate), 0)::numeric(20, 2) as "marginUsd",
      coalesce(sum(sold * rate - amount), 0)::numeric(20, 2) as "marginEtb"
    from (
      select 'vouchers' as kind, amount, selling_price_usd as sold, exchange_rate::numeric as rate
      from vouchers
      where partner_id = ${partnerId} and ${isWithin(sql`created_at`, days)}
      union all
      select 'topups', amount, foreign_currency_amount::numeric, exchange_rate::numeric
      from topups
      where partner_id = ${partnerId} and status = 'SUCCESS' and ${isWithin(sql`created_at`, days)}
    ) as sale
    group by kind order by kind desc`.execute(database);
  return rows;
}
