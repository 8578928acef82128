import { type RawBuilder, sql } from 'kysely';
import { besideHours, summedHours } from '../books/sums.ts';
import type { Database } from '../connection.ts';
import { boundsOfDay, type Days, eachDay } from '../days.ts';

type Sql = RawBuilder<unknown>;

/** A partner's sales of a day; amounts are decimal strings of ETB. */
export interface DayOfSales {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly vouchers: number;
  readonly voucherAmount: string;
  readonly topups: number;
  readonly topupAmount: string;
}

const isVoucher = sql`debit.kind = 'gift'`;
const isTopup = sql`debit.kind = 'airtime-hold'`;

/** SQL query: a partner's sales of a time, from the transfers. */
const ofTransfers = (partnerId: number, when: Sql) => sql`
  select count(1) filter (where ${isVoucher}) as vouchers,
    sum(amount) filter (where ${isVoucher}) as voucher_amount,
    count(1) filter (where ${isTopup}) as topups,
    sum(amount) filter (where ${isTopup}) as topup_amount
  from ledger_accounts as debit
  join ledger_transfers as transfer on transfer.debit_account_id = debit.id
  join ledger_accounts as credit on credit.id = transfer.credit_account_id
  where debit.partner_id = ${partnerId}
    and (debit.kind, credit.kind) in (('gift', 'reserved'), ('airtime-hold', 'airtime-clearing'))
    and ${when}`;

/**
 * A partner's sales per day from the ledger: vouchers by their generation, top-ups by their delivery. Hours that are
 * over are read from their sums, the rest of a day and what is newer from the transfers.
 */
export async function salesPerDay(
  database: Database,
  partnerId: number,
  days: Days,
): Promise<DayOfSales[]> {
  const { from, before } = boundsOfDay(days);
  const time = sql`transfer.created_at`;
  const { rows } = await sql<DayOfSales>`
    select day, coalesce(sum(vouchers), 0)::bigint as vouchers,
      coalesce(sum(voucher_amount), 0)::numeric(20, 6) as "voucherAmount",
      coalesce(sum(topups), 0)::bigint as topups,
      coalesce(sum(topup_amount), 0)::numeric(20, 6) as "topupAmount"
    from (${eachDay(days)}) as days
    cross join lateral (${summedHours(from, before)}) as hours
    cross join lateral (
      select sum(vouchers) as vouchers, sum(voucher_amount) as voucher_amount,
        sum(topups) as topups, sum(topup_amount) as topup_amount
      from sale_hour_sums
      where partner_id = ${partnerId} and hour >= hours.begin and hour < hours."end"
      union all
      ${ofTransfers(partnerId, besideHours.first(time, from, before))}
      union all
      ${ofTransfers(partnerId, besideHours.last(time, before))}
    ) as sale
    group by day order by day`.execute(database);
  return rows;
}
