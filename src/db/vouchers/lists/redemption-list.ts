import { sql } from 'kysely';
import type { Database } from '../../connection.js';
import { type Days, eachDay } from '../../days.js';
import { listColumns } from '../../lists/list-columns.js';
import type { ListSource } from '../../lists/list-query.js';
import { newestReversal, type ShownReversal } from '../shown-reversal.js';

/**
 * CONTRADICTED: the provider refused it and confirmed it later. REVERSED: the provider paid it and
 * took it back, by itself or because the merchant asked for it.
 */
export type RedemptionState = 'HELD' | 'POSTED' | 'VOIDED' | 'CONTRADICTED' | 'REVERSED';

/** A redemption as the paid merchant sees it; amounts are decimal strings. */
export interface ListedRedemption {
  readonly id: number;
  readonly createdAt: Date;
  /** Null unless it was paid. */
  readonly paidAt: Date | null;
  readonly state: RedemptionState;
  readonly serialNumber: string;
  /** The amount taken from the voucher: payment plus fee. */
  readonly amount: string;
  readonly serviceFee: string;
  readonly toMerchant: string;
  readonly reference: string;
  readonly providerReference: string | null;
  readonly reversal: ShownReversal | null;
}

const state = sql`case when reversed_at is not null then 'REVERSED'
  when contradicted_at is not null then 'CONTRADICTED' else redemptions.status end`;

/** Time of the payment; the index `redemptions_paid` uses the same expression. */
export const paidAt = sql`(case when redemptions.status = 'POSTED' then settled_at
  else contradicted_at end)`;

/** The redemptions that a merchant is paid for, whichever company requested them. */
export const redemptionSource: ListSource<ListedRedemption> = {
  name: 'redemptions',
  select: sql`redemptions.id, redemptions.created_at as "createdAt", ${paidAt} as "paidAt",
    ${state} as state, serial_number as "serialNumber", to_merchant + service_fee as amount,
    service_fee as "serviceFee", to_merchant as "toMerchant", platform_reference as reference,
    provider_reference as "providerReference",
    ${newestReversal(sql`redemptions.id`)} as reversal`,
  from: () => sql`redemptions left join vouchers on vouchers.id = voucher_id`,
  where: (merchantId) => sql`redemptions.merchant_id = ${merchantId}::bigint`,
  addedAt: sql`redemptions.created_at`,
  id: sql`redemptions.id`,
  columns: {
    id: listColumns.integer(sql`redemptions.id`),
    createdAt: listColumns.time(sql`redemptions.created_at`),
    paidAt: listColumns.time(paidAt),
    state: listColumns.text(state),
    serialNumber: listColumns.text(sql`serial_number`),
    // Ours or the provider's.
    reference: listColumns.lookUp(
      (reference) => sql`(platform_reference = ${reference}::text
        or provider_reference = ${reference}::text)`,
    ),
  },
};

/** A merchant's payouts of a day; amounts are decimal strings of ETB. */
export interface DayOfPayouts {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly payouts: number;
  readonly paid: string;
  readonly serviceFees: string;
}

/**
 * A merchant's payouts of each day of a range, without reversed ones; late successes have no fee. The index of
 * payments is asked for one day after another, so that no payment needs the name of its day.
 */
export async function payoutsPerDay(
  database: Database,
  merchantId: number,
  days: Days,
): Promise<DayOfPayouts[]> {
  const start = sql`days.day::timestamp`;
  const { rows } = await sql<DayOfPayouts>`
    select day, payouts, coalesce(paid, 0)::numeric(20, 6) as paid,
      coalesce(fees, 0)::numeric(20, 6) as "serviceFees"
    from (${eachDay(days)}) as days cross join lateral (
      select count(1) as payouts, sum(to_merchant) as paid,
        sum(service_fee) filter (where status = 'POSTED') as fees
      from redemptions
      where merchant_id = ${merchantId} and reversed_at is null
        and ${paidAt} >= ${start} at time zone ${days.zone}::text
        and ${paidAt} < (${start} + interval '1 day') at time zone ${days.zone}::text) as paid
    order by day`.execute(database);
  return rows;
}
