import { sql } from 'kysely';
import {
  priceOfTopup,
  soldAtOnce,
  summedHours,
  sumsOfSales,
  unsummedHours,
} from '../books/sums.ts';
import { allRows, type Database, type Sql } from '../connection.ts';
import { boundsOfDay, boundsOfDays, type Days, eachDay } from '../days.ts';
import { isDelivered } from '../positions/change.ts';
import { orderedOf } from '../positions/placements.ts';

/*
 * The one definition of a sale (docs/reference/portal.md#sales): a generated voucher, or a top-up that counts as
 * delivered. Figures, margins and charts all read `salesBetween`.
 */

/** The companies of a kind whose figures are added up. */
export type Whose = number | 'all';

/** SQL expression: the ids of the companies, as an array. */
export const companyIds = (companies: 'partners' | 'merchants', whose: Whose): Sql =>
  whose === 'all'
    ? sql`array(select id from ${sql.table(companies)})`
    : sql`array[${whose}::bigint]`;

/** SQL expression: when an attempt `try` was delivered, as its index has it. */
const deliveredAt = sql`(case when try.status = 'POSTED' then try.settled_at else try.changed_at end)`;

/**
 * SQL query: the few attempts whose delivery came after their first answer, or was taken back after it, as rows of
 * `soldAtOnce`. A top-up counts once: a late delivery adds nothing where another attempt was delivered. The price of
 * a delivery that the wallet has not paid is not compared with its cost.
 */
const changedLater = (partners: Sql, from: Sql, before: Sql) => sql`
  select 'topups' as kind, ${deliveredAt} as at, ${orderedOf(sql`try.operation_id`)} as amount,
    case when try.status = 'POSTED' then -1 else 1 end as change, 0 as failed,
    case when try.status = 'POSTED' or try.charged then ${priceOfTopup.price} end as price,
    ${priceOfTopup.rate} as rate
  from topup_attempts as try join topups on topups.id = try.topup_id
  where topups.partner_id = any(${partners})
    and (try.status = 'POSTED') <> ${isDelivered(sql`try`)}
    and ${deliveredAt} >= ${from} and ${deliveredAt} < ${before}
    and (try.status = 'POSTED' or not exists (
      select from topup_attempts as other
      where other.topup_id = try.topup_id and ${isDelivered(sql`other`)}
        and (other.status = 'POSTED' or other.attempt < try.attempt)))`;

/**
 * SQL query: the sums of sales from a time to before another, by kind. Past hours are read from their sums, the rest
 * of a day and what is newer from the rows.
 */
function salesBetween(sellers: Whose, from: Sql, before: Sql) {
  const partners = companyIds('partners', sellers);
  const rows = (when: (time: Sql) => Sql) => sql`
    select kind, ${sumsOfSales}, sum(change) as at_once
    from (${soldAtOnce(partners, when)}) as sale group by kind`;
  return sql`
    select kind, coalesce(sum(sold), 0)::bigint as sold,
      coalesce(sum(amount), 0)::numeric(20, 6) as amount, coalesce(sum(failed), 0)::bigint as failed,
      coalesce(sum(priced), 0)::bigint as priced, coalesce(sum(sold_usd), 0) as sold_usd,
      coalesce(sum(cost_usd), 0) as cost_usd, coalesce(sum(margin_etb), 0) as margin_etb,
      coalesce(sum(at_once), 0)::bigint as at_once
    from (${summedHours(from, before)}) as hours cross join lateral (
      select kind, sold, amount, failed, priced, sold_usd, cost_usd, margin_etb, sold as at_once
      from sale_hour_sums
      where partner_id = any(${partners}) and hour >= hours.begin and hour < hours."end"
      union all
      ${rows((time) => unsummedHours.first(time, from, before))}
      union all
      ${rows((time) => unsummedHours.last(time, before))}
      union all
      select kind, ${sumsOfSales}, 0
      from (${changedLater(partners, from, before)}) as sale group by kind
    ) as parts group by kind`;
}

/** Sales of a day; amounts are decimal strings of ETB. */
export interface DayOfSales {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly vouchers: number;
  readonly voucherAmount: string;
  readonly topups: number;
  readonly topupAmount: string;
  /** Attempts of top-ups by the first answer of the provider: they were delivered, or not. */
  readonly deliveredAtOnce: number;
  readonly failedAtOnce: number;
}

/** The sales per day. */
export function salesPerDay(database: Database, sellers: Whose, days: Days) {
  const { from, before } = boundsOfDay(days);
  return allRows<DayOfSales>(database)`
    select day, coalesce(max(sold) filter (where kind = 'vouchers'), 0) as vouchers,
      coalesce(max(amount) filter (where kind = 'vouchers'), 0)::numeric(20, 6) as "voucherAmount",
      coalesce(max(sold) filter (where kind = 'topups'), 0) as topups,
      coalesce(max(amount) filter (where kind = 'topups'), 0)::numeric(20, 6) as "topupAmount",
      coalesce(max(at_once) filter (where kind = 'topups'), 0) as "deliveredAtOnce",
      coalesce(max(failed) filter (where kind = 'topups'), 0) as "failedAtOnce"
    from (${eachDay(days)}) as days
    left join lateral (${salesBetween(sellers, from, before)}) as sale on true
    group by day order by day`;
}

/** The earnings of sales above their cost. Amounts are decimal strings and may be negative. */
export interface Margin {
  readonly kind: 'vouchers' | 'topups';
  /** Sales that the partner paid for, whose price and exchange rate are known. */
  readonly counted: number;
  readonly sales: number;
  /** What customers paid for these sales, in USD. */
  readonly soldUsd: string;
  /** The cost in ETB at the exchange rate of each sale. */
  readonly costUsd: string;
  readonly marginUsd: string;
  readonly marginEtb: string;
}

/** The margins of some days: the selling price of each sale less its cost at the exchange rate that the sale named. */
export function readMargins(database: Database, sellers: Whose, days: Days) {
  const { from, before } = boundsOfDays(days);
  return allRows<Margin>(database)`
    select kind, priced as counted, sold as sales, round(sold_usd, 2) as "soldUsd",
      round(cost_usd, 2) as "costUsd", round(sold_usd - cost_usd, 2) as "marginUsd",
      round(margin_etb, 2) as "marginEtb"
    from (${salesBetween(sellers, from, before)}) as sale
    where sold > 0 order by kind desc`;
}
