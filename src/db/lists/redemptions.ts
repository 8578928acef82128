import { sql } from 'kysely';
import { paidAt, summedHours, unsummedHours } from '../books/sums.ts';
import { allRows, type Database, type Sql } from '../connection.ts';
import { boundsOfDay, type Days, eachDay } from '../days.ts';
import { hasNumber } from '../phone-numbers.ts';
import { doerOf, providerReferenceOf } from '../positions/placements.ts';
import { newestReversal, type ShownReversal } from '../vouchers/reversals.ts';
import { anySpelling, declareList, isFoundBy, listFields } from './list.ts';

const { text, choice, integer, decimal, time, shown, hidden, lookUp } = listFields;

/**
 * CONTRADICTED: the provider refused it and confirmed it later. REVERSED: the provider paid it and
 * took it back, by itself or because the merchant asked for it.
 */
export const listedRedemptionStates = [
  'HELD',
  'POSTED',
  'VOIDED',
  'CONTRADICTED',
  'REVERSED',
] as const;
export type RedemptionState = (typeof listedRedemptionStates)[number];

const state = sql`case when redemptions.status = 'POSTED' and not is_done then 'REVERSED'
  when redemptions.status = 'VOIDED' and is_done then 'CONTRADICTED' else redemptions.status end`;

/**
 * The redemptions that a merchant is paid for, whichever company requested them. A redemption takes
 * the payment and the fee from the voucher.
 */
export const redemptionList = declareList({
  name: 'redemptions',
  from: () => sql`redemptions left join vouchers on vouchers.id = voucher_id`,
  where: (merchantId) => sql`redemptions.merchant_id = ${merchantId}::bigint`,
  addedAt: sql`redemptions.created_at`,
  id: sql`redemptions.id`,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(sql`redemptions.id`),
    createdAt: time(sql`redemptions.created_at`),
    // Null unless it was paid.
    paidAt: time<Date | null>(paidAt),
    state: choice(listedRedemptionStates)(state),
    serialNumber: text(sql`serial_number`),
    amount: shown<string>(sql`to_merchant + service_fee`),
    serviceFee: shown<string>(sql`service_fee`),
    toMerchant: shown<string>(sql`to_merchant`),
    platformReferenceNumber: shown<string>(sql`platform_reference`),
    referenceNumber: shown<string | null>(providerReferenceOf(sql`redemptions.operation_id`)),
    reversal: shown<ShownReversal | null>(newestReversal(sql`redemptions.id`)),
    // Ours or the provider's.
    reference: lookUp(
      (reference) => sql`(platform_reference = ${reference}::text
        or redemptions.operation_id = any(array(select operation_id from placements
          where provider_reference = ${reference}::text)))`,
    ),
  },
  finds({ numberHash, serialNumber, uuid, reference }, merchantId) {
    const ofVouchers = (condition: Sql) => sql`
      select redemptions.id from redemptions join vouchers on vouchers.id = voucher_id
      where redemptions.merchant_id = ${merchantId}::bigint and ${condition}`;
    return isFoundBy(
      sql`redemptions.id`,
      serialNumber && ofVouchers(sql`serial_number = ${serialNumber}`),
      numberHash &&
        ofVouchers(sql`owner_msisdn is not null and ${hasNumber('owner_msisdn', numberHash)}`),
      uuid && sql`select id from redemptions where payment_reference = ${uuid}::uuid`,
      reference &&
        sql`select id from redemptions where platform_reference = ${anySpelling(reference)}`,
      reference &&
        sql`select id from redemptions where operation_id = any(array(
          select operation_id from placements where provider_reference = ${anySpelling(reference)}))`,
    );
  },
});

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
 * payments have no fee. Past hours are read from their sums, with the few payouts that were changed later. The rest
 * of a day and newer payouts are read by the index of payments. So a day costs no more when more is paid in it.
 */
const payoutsBetween = (merchantId: Sql, from: Sql, before: Sql) => {
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
      select ${ofRows} ${paid(isLeft, unsummedHours.first(paidAt, from, before))}
      union all
      select ${ofRows} ${paid(isLeft, unsummedHours.last(paidAt, before))}
    ) as parts`;
};

/** A merchant's payouts of each day of a range, without reversed ones; late payments have no fee. */
export function payoutsPerDay(database: Database, merchantId: number, days: Days) {
  const { from, before } = boundsOfDay(days);
  return allRows<DayOfPayouts>(database)`
    select day, payouts, paid, fees as "serviceFees"
    from (${eachDay(days)}) as days cross join lateral (
      ${payoutsBetween(sql`${merchantId}::bigint`, from, before)}
    ) as sums
    order by day`;
}

const startOfDay = sql`date_trunc('day', ${paidAt} at time zone 'UTC')`;

/** The start of the newest day with a payout, of all or of those before a day; an entry of an index. */
const newestDay = (merchantId: number, before?: Sql) => sql`
  (select ${startOfDay} from redemptions
  where merchant_id = ${merchantId}::bigint and is_done
    and ${paidAt} ${before ? sql`< ${before} at time zone 'UTC'` : sql`is not null`}
  order by ${paidAt} desc limit 1)`;

/** SQL expression: a sum of the payouts on the day of a row. */
const ofDay = (value: Sql) => sql`
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
export const payoutList = declareList({
  name: 'payouts',
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
  sortBy: [['day', 'DESC']],
  fields: {
    day: text(sql`day`),
    // Added up once for a row.
    sums: shown<Omit<DayOfPayouts, 'day'>>(
      ofDay(sql`json_build_object('payouts', payouts, 'paid', paid::text,
        'serviceFees', fees::text)`),
    ),
    payouts: hidden(integer(ofDay(sql`payouts`))),
    paid: hidden(decimal(ofDay(sql`paid`))),
    serviceFees: hidden(decimal(ofDay(sql`fees`))),
  },
});

/** Payments to one merchant by one provider that ended with the same message. */
interface RefusedPayments {
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
export const listRefusedPayments = (database: Database, newest: number) =>
  allRows<RefusedPayments>(database)`
    with newest as materialized (
      select merchant_id, ${doerOf(sql`redemptions.operation_id`)} as provider, status,
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
    order by count(*) desc, max(newest.created_at) desc`;
