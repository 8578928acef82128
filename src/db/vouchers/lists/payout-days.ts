import { type RawBuilder, sql } from 'kysely';
import { listColumns } from '../../lists/list-columns.ts';
import type { ListSource } from '../../lists/list-query.ts';
import { type DayOfPayouts, payoutsBetween } from './payouts-per-day.ts';
import { paidAt } from './redemption-list.ts';

/** A day, and what a merchant was paid on it. */
interface PayoutDay extends Pick<DayOfPayouts, 'day'> {
  readonly sums: Omit<DayOfPayouts, 'day'>;
}

const startOfDay = sql`date_trunc('day', ${paidAt} at time zone 'UTC')`;

/** The start of the newest day with a payout, of all or of those before a day; an entry of an index. */
const newestDay = (merchantId: number, before?: RawBuilder<unknown>) => sql`
  (select ${startOfDay} from redemptions
  where merchant_id = ${merchantId}::bigint and is_done
    and ${paidAt} ${before ? sql`< ${before} at time zone 'UTC'` : sql`is not null`}
  order by ${paidAt} desc limit 1)`;

/** What was paid on a row's day. */
const ofDay = (value: RawBuilder<unknown>) => sql`
  (select ${value} from (${payoutsBetween(
    sql`days.merchant_id`,
    sql`(days.start at time zone 'UTC')`,
    sql`((days.start + interval '1 day') at time zone 'UTC')`,
  )}) as sums)`;

/**
 * The days in UTC on which a merchant was paid, without reversed payouts. An index is asked for one
 * day after another, and PostgreSQL adds up those of the page alone, after it has sorted. Sorts and
 * filters by amounts add up all days, from the sums of their hours.
 */
export const payoutSource: ListSource<PayoutDay> = {
  name: 'payouts',
  select: sql`day, ${ofDay(sql`json_build_object('payouts', payouts, 'paid', paid::text,
    'serviceFees', fees::text)`)} as sums`,
  from: (merchantId) => sql`(
    with recursive found(start) as (
      select ${newestDay(merchantId)}
      union all
      select ${newestDay(merchantId, sql`found.start`)} from found where found.start is not null
    )
    select start, to_char(start, 'YYYY-MM-DD') as day, ${merchantId}::bigint as merchant_id
    from found where start is not null) as days`,
  where: () => sql`true`,
  id: sql`day`,
  columns: {
    day: listColumns.text(sql`day`),
    payouts: listColumns.integer(ofDay(sql`payouts`)),
    paid: listColumns.decimal(ofDay(sql`paid`)),
    serviceFees: listColumns.decimal(ofDay(sql`fees`)),
  },
};
