import { type RawBuilder, sql } from 'kysely';
import { besideHours, summedHours } from '../../books/hour-sums.ts';
import type { Database } from '../../connection.ts';
import { boundsOfDay, type Days, eachDay } from '../../days.ts';
import { paidAt } from './redemption-list.ts';

type Sql = RawBuilder<unknown>;

/** A merchant's payouts of a day; amounts are decimal strings of ETB. */
export interface DayOfPayouts {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly payouts: number;
  readonly paid: string;
  readonly serviceFees: string;
}

const ofRows = sql`count(1) as payouts, sum(to_merchant) as paid,
  sum(service_fee) filter (where status = 'POSTED') as fees`;

/**
 * SQL query: `payouts`, `paid` and `fees` of a merchant from a time to before another, without reversed payouts; late
 * successes have no fee. Hours that are over are read from their sums, with the few payouts that were changed later;
 * the rest of a day and what is newer by the index of payments. So a day costs no more when more is paid in it.
 */
export const payoutsBetween = (merchantId: Sql, from: Sql, before: Sql) => {
  const paid = (condition: Sql, when: Sql) => sql`
    from redemptions where merchant_id = ${merchantId} and ${condition} and ${when}`;
  const isLeft = sql`is_done`;
  const wasChanged = sql`(status = 'POSTED') <> is_done`;
  const isSummedUp = sql`(${paidAt} >= hours.begin and ${paidAt} < hours."end")`;
  return sql`
    select coalesce(sum(payouts), 0)::bigint as payouts,
      coalesce(sum(paid), 0)::numeric(20, 6) as paid, coalesce(sum(fees), 0)::numeric(20, 6) as fees
    from (${summedHours(from, before)}) as hours cross join lateral (
      select sum(payouts) as payouts, sum(paid) as paid, sum(service_fees) as fees
      from payout_hour_sums
      where merchant_id = ${merchantId} and hour >= hours.begin and hour < hours."end"
      union all
      select sum(change), sum(change * to_merchant),
        sum(change * service_fee) filter (where status = 'POSTED')
      from (
        select status, to_merchant, service_fee, case when is_done then 1 else -1 end as change
        ${paid(wasChanged, isSummedUp)}) as changed
      union all
      select ${ofRows} ${paid(isLeft, besideHours.first(paidAt, from, before))}
      union all
      select ${ofRows} ${paid(isLeft, besideHours.last(paidAt, before))}
    ) as parts`;
};

/** A merchant's payouts of each day of a range, without reversed ones; late payments have no fee. */
export async function payoutsPerDay(
  database: Database,
  merchantId: number,
  days: Days,
): Promise<DayOfPayouts[]> {
  const { from, before } = boundsOfDay(days);
  const { rows } = await sql<DayOfPayouts>`
    select day, payouts, paid, fees as "serviceFees"
    from (${eachDay(days)}) as days cross join lateral (
      ${payoutsBetween(sql`${merchantId}::bigint`, from, before)}
    ) as sums
    order by day`.execute(database);
  return rows;
}
