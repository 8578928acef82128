import { sql } from 'kysely';
import { checkedTo } from './books/rollup.ts';
import { hoursEnd, paidAt, summedHours, unsummedHours } from './books/sums.ts';
import { allRows, type Database, onlyRow, type Sql } from './connection.ts';
import { beginOf, boundsOfDay, type Days, eachDay, isWithin } from './days.ts';
import type { Wallet } from './ledger/account-statements.ts';
import { ownMovements } from './ledger/own-movements.ts';
import { companyIds, type Whose } from './ledger/sales.ts';

/** The figures of charts, apart from sales. They are read from sums, and newer figures from the rows. */

/** Payments of a day by the first answers of their providers. */
export interface DayOfPayments {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly paid: number;
  readonly refused: number;
  /** Paid; a decimal string of ETB. */
  readonly amount: string;
}

/** Payments to merchants per day, and those that were refused. */
export function paymentsPerDay(database: Database, payees: Whose, days: Days) {
  const { from, before } = boundsOfDay(days);
  const merchants = companyIds('merchants', payees);
  const rows = (when: (time: Sql) => Sql) => sql`
    select count(1) as paid, 0 as refused, sum(to_merchant) as amount from redemptions
    where merchant_id = any(${merchants}) and status = 'POSTED' and ${when(paidAt)}
    union all
    select 0, count(1), 0 from redemptions
    where merchant_id = any(${merchants}) and status = 'VOIDED' and ${when(sql`settled_at`)}`;
  return allRows<DayOfPayments>(database)`
    select day, coalesce(sum(paid), 0)::bigint as paid, coalesce(sum(refused), 0)::bigint as refused,
      coalesce(sum(amount), 0)::numeric(20, 6) as amount
    from (${eachDay(days)}) as days
    cross join lateral (${summedHours(from, before)}) as hours
    cross join lateral (
      select sum(payouts) as paid, sum(refused) as refused, sum(paid) as amount
      from payout_hour_sums
      where merchant_id = any(${merchants}) and hour >= hours.begin and hour < hours."end"
      union all
      ${rows((time) => unsummedHours.first(time, from, before))}
      union all
      ${rows((time) => unsummedHours.last(time, before))}
    ) as parts
    group by day order by day`;
}

/** Up to when merchants and claims are summed up; null where nothing is. */
export const figuresCountedTo = (database: Database) =>
  onlyRow<{ readonly payments: Date | null; readonly claims: Date | null }>(database)`
    select case when ${checkedTo('hour-sums')} > 0 then ${hoursEnd('hour-sums')} end as payments,
      (select changed_at from voucher_status_changes where id <= ${checkedTo('claim-sums')}
        order by id desc limit 1) as claims`;

/** A merchant by what it was paid. */
export interface TopMerchant {
  readonly merchant: string;
  readonly payments: number;
  /** Decimal string of ETB. */
  readonly paid: string;
}

const MERCHANTS = 5;

/** The merchants that were paid most out of the vouchers of partners, up to the last hour that is summed up. */
export function topMerchants(database: Database, sellers: Whose, days: Days) {
  return allRows<TopMerchant>(database)`
    select merchant_name as merchant, payments::bigint as payments, paid::numeric(20, 6) as paid
    from (
      select merchant_id, sum(payouts) as payments, sum(paid) as paid from payout_hour_sums
      where partner_id = any(${companyIds('partners', sellers)}) and ${isWithin(sql`hour`, days)}
      group by merchant_id having sum(payouts) > 0
      order by sum(paid) desc, merchant_id limit ${MERCHANTS}) as most
    join merchants on merchants.id = merchant_id
    order by most.paid desc, merchant_id`;
}

/** Numbers of claims by their outcome. */
export interface ClaimCounts {
  readonly claims: number;
  /** Claimed vouchers whose right code was given. */
  readonly codes: number;
  readonly payments: number;
}

/** The claims of some days, up to the last check of the books. */
export const claimCounts = (database: Database, sellers: Whose, days: Days) =>
  onlyRow<ClaimCounts>(database)`
    select coalesce(sum(claims), 0)::bigint as claims, coalesce(sum(codes), 0)::bigint as codes,
      coalesce(sum(payments), 0)::bigint as payments
    from claim_hour_sums
    where partner_id = any(${companyIds('partners', sellers)}) and ${isWithin(sql`hour`, days)}`;

/** A balance at the beginning of a UTC day, or now. The ledger has sums of UTC days. */
export interface BalanceAt {
  readonly wallet: Wallet;
  readonly at: Date;
  /** Decimal string of ETB. */
  readonly balance: string;
}

/** The balances of a partner's wallets over some days, computed backwards from those of now. */
export function balancesOver(
  database: Database,
  partnerId: number,
  wallets: readonly Wallet[],
  days: Days,
) {
  const begin = sql`date_trunc('day', ${beginOf({ day: days.first, zone: days.zone })} + interval '1 day' - interval '1 microsecond', 'UTC')`;
  return allRows<BalanceAt>(database)`
    with ${ownMovements({ partnerId, wallets }, begin, sql`'infinity'::timestamptz`, [])},
    changed as (
      select wallet, date_trunc('day', created_at, 'UTC') as at, sum(change) as change
      from own group by 1, 2
    ), held as (select wallet, sum(balance) as balance from account group by wallet)
    select wallet, at, (balance - coalesce((
        select sum(change) from changed where changed.wallet = held.wallet and changed.at >= point.at
      ), 0))::numeric(20, 6) as balance
    from held cross join generate_series(${begin}, now(), '1 day') as point(at)
    union all
    select wallet, now(), balance::numeric(20, 6) from held
    order by wallet, at`;
}
