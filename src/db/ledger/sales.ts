import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.js';
import { type Days, dayOf, eachDay, isWithin } from '../days.js';

/** A partner's sales of a day; amounts are decimal strings of ETB. */
export interface DayOfSales {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly vouchers: number;
  readonly voucherAmount: string;
  readonly topups: number;
  readonly topupAmount: string;
}

const sum = (wanted: RawBuilder<unknown>) =>
  sql`coalesce(sum(amount) filter (where ${wanted}), 0)::numeric(20, 6)`;

/**
 * A partner's sales per day from the ledger: vouchers by their generation, top-ups by their
 * delivery.
 */
export async function salesPerDay(
  database: Database,
  partnerId: number,
  days: Days,
): Promise<DayOfSales[]> {
  const isVoucher = sql`debit.kind = 'gift'`;
  const isTopup = sql`debit.kind = 'airtime-hold'`;
  const { rows } = await sql<DayOfSales>`
    with sale as (
      select ${dayOf(sql`transfer.created_at`, days)} as day,
        count(1) filter (where ${isVoucher}) as vouchers,
        ${sum(isVoucher)} as "voucherAmount",
        count(1) filter (where ${isTopup}) as topups,
        ${sum(isTopup)} as "topupAmount"
      from ledger_accounts as debit
      join ledger_transfers as transfer on transfer.debit_account_id = debit.id
      join ledger_accounts as credit on credit.id = transfer.credit_account_id
      where debit.partner_id = ${partnerId}
        and (debit.kind, credit.kind) in (('gift', 'reserved'), ('airtime-hold', 'airtime-clearing'))
        and ${isWithin(sql`transfer.created_at`, days)}
      group by 1
    )
    select day, coalesce(vouchers, 0) as vouchers, coalesce("voucherAmount", 0) as "voucherAmount",
      coalesce(topups, 0) as topups, coalesce("topupAmount", 0) as "topupAmount"
    from (${eachDay(days)}) as days left join sale using (day)
    order by day`.execute(database);
  return rows;
}
