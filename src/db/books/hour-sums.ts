import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';
import { readCheckpoints } from './checkpoints.ts';
import { daySumsEnd } from './day-sums.ts';
import { inSnapshot } from './in-snapshot.ts';
import { isInHours, moveHours, readHours, settledHoursEnd } from './settled-hours.ts';

type Sql = RawBuilder<unknown>;

const hourSumsEnd = settledHoursEnd('hour-sums');

/** The beginning of the hour that a time is in; hours are those of UTC, which the sums are of. */
const hourOf = (time: Sql) => sql`date_bin('1 hour', ${time}, to_timestamp(0))`;

/**
 * SQL query: `begin` and `end` of the whole hours of a time that are summed up. Where there are none, the end is not
 * after the begin.
 */
export const summedHours = (from: Sql, before: Sql) => sql`
  select ${hourOf(sql`${from} + interval '1 hour' - interval '1 microsecond'`)} as begin,
    least(${hourOf(before)}, ${hourSumsEnd}) as "end"`;

/** SQL condition: a time is of one of the hours between `from` and `before` that are not summed up. */
export const besideHours = {
  /** Before the first whole hour. */
  first: (time: Sql, from: Sql, before: Sql) =>
    sql`(${time} >= ${from} and ${time} < least(hours.begin, ${before}))`,
  /** After the last one. */
  last: (time: Sql, before: Sql) =>
    sql`(${time} >= greatest(hours.begin, hours."end") and ${time} < ${before})`,
};

/**
 * Adds up what each merchant was paid and each partner sold in the hours that are over, one hour after another. If
 * the time is up, the next check continues. Rows are found by the indexes of payments and of accounts, so that an hour
 * costs a look-up for each company and what happened in it.
 */
export async function addHourSums(
  database: Database,
  { endsAt }: { readonly endsAt: number },
): Promise<void> {
  const { checkedTo } = (await readCheckpoints(database))['hour-sums'];
  const { first, end } = await readHours(database);
  let hour = Math.max(checkedTo, Math.min(first, end));
  await moveHours(database, 'hour-sums', hour);
  for (; hour < end && Date.now() <= endsAt; hour += 1)
    await inSnapshot(database, async (transaction) => {
      for (const sums of [payoutSums(hour), saleSums(hour)]) await sums.execute(transaction);
      await moveHours(transaction, 'hour-sums', hour + 1);
    });
}

/** What was paid at once: it never changes, also where it is reversed later. */
const payoutSums = (hour: number) => sql`
  insert into payout_hour_sums (merchant_id, hour, payouts, paid, service_fees)
  select merchants.id, to_timestamp(${hour}::bigint * 3600), payouts, paid, fees
  from merchants cross join lateral (
    select count(1) as payouts, sum(to_merchant) as paid, sum(service_fee) as fees
    from redemptions
    where merchant_id = merchants.id and status = 'POSTED' and ${isInHours(
      sql`(case when status = 'POSTED' then settled_at else changed_at end)`,
      hour,
    )}
  ) as sums
  where payouts > 0
  on conflict (merchant_id, hour) do update set payouts = excluded.payouts,
    paid = excluded.paid, service_fees = excluded.service_fees`;

const saleSums = (hour: number) => sql`
  insert into sale_hour_sums (partner_id, hour, vouchers, voucher_amount, topups, topup_amount)
  select debit.partner_id, to_timestamp(${hour}::bigint * 3600),
    coalesce(sum(count) filter (where kind = 'gift'), 0),
    coalesce(sum(amount) filter (where kind = 'gift'), 0),
    coalesce(sum(count) filter (where kind = 'airtime-hold'), 0),
    coalesce(sum(amount) filter (where kind = 'airtime-hold'), 0)
  from ledger_accounts as debit cross join lateral (
    select count(1) as count, sum(amount) as amount
    from ledger_transfers
    where debit_account_id = debit.id and ${isInHours(sql`created_at`, hour)}
      and credit_account_id = (
        select id from ledger_accounts as credit
        where debit.kind = 'gift' and credit.kind = 'reserved' and credit.partner_id = debit.partner_id
          or debit.kind = 'airtime-hold' and credit.kind = 'airtime-clearing')
  ) as sums
  where debit.kind in ('gift', 'airtime-hold') and count > 0
  group by debit.partner_id
  on conflict (partner_id, hour) do update set vouchers = excluded.vouchers,
    voucher_amount = excluded.voucher_amount, topups = excluded.topups,
    topup_amount = excluded.topup_amount`;

/** What the ledger's days have of sales and payouts, by the kinds of accounts. */
const ledgerDays = sql`
  select day, sum(amount) filter (where is_payout) as paid,
    sum(count) filter (where is_payout) as payouts,
    sum(amount) filter (where credit.kind = 'service-fees') as fees,
    sum(amount) filter (where debit.kind = 'gift') as voucher_amount,
    sum(amount) filter (where debit.kind = 'airtime-hold') as topup_amount
  from ledger_day_sums
  join ledger_accounts as debit on debit.id = debit_account_id
  join ledger_accounts as credit on credit.id = credit_account_id
  cross join lateral (select credit.kind = 'mobile-money-clearing' as is_payout) as what
  where (debit.kind, credit.kind) in (('gift-hold', 'mobile-money-clearing'),
    ('gift-hold', 'service-fees'), ('gift', 'reserved'), ('airtime-hold', 'airtime-clearing'))
  group by day`;

/**
 * The days whose sums by hour differ from the ledger: one line per fault. A transfer that pays a merchant has the
 * time of its redemption, and the sums of days have it; the newest of these days may lack some.
 */
export async function brokenHourSums(snapshot: Database): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with whole(day) as (
      select least((select max(day) - 1 from ledger_day_sums), (${hourSumsEnd} at time zone 'UTC')::date)
      where ${daySumsEnd} >= (select checked_to from book_checkpoints where source = 'sums')
    ), of_hours as (
      select (hour at time zone 'UTC')::date as day, sum(payouts) as payouts, sum(paid) as paid,
        sum(service_fees) as fees, 0 as voucher_amount, 0 as topup_amount
      from payout_hour_sums group by 1
      union all
      select (hour at time zone 'UTC')::date, 0, 0, 0, sum(voucher_amount), sum(topup_amount)
      from sale_hour_sums group by 1
      union all
      select day, -coalesce(payouts, 0), -coalesce(paid, 0), -coalesce(fees, 0),
        -coalesce(voucher_amount, 0), -coalesce(topup_amount, 0)
      from (${ledgerDays}) as days
    )
    select 'I2 the hourly sums of sales and payouts are the ledger''s: ' || day as fault
    from of_hours where day < (select day from whole)
    group by day
    having sum(payouts) <> 0 or sum(paid) <> 0 or sum(fees) <> 0
      or sum(voucher_amount) <> 0 or sum(topup_amount) <> 0
    order by day limit 100`.execute(snapshot);
  return rows.map(({ fault }) => fault);
}
