import { sql } from 'kysely';
import { listColumns } from '../../lists/list-columns.ts';
import type { ListSource } from '../../lists/list-query.ts';
import { providerReferenceOf } from '../../positions/placements.ts';
import { newestReversal, type ShownReversal } from '../shown-reversal.ts';

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

const state = sql`case when redemptions.status = 'POSTED' and not is_done then 'REVERSED'
  when redemptions.status = 'VOIDED' and is_done then 'CONTRADICTED' else redemptions.status end`;

/** Time of the payment; the index `redemptions_paid` uses the same expression. */
export const paidAt = sql`(case when redemptions.status = 'POSTED' then settled_at
  else changed_at end)`;

/** The redemptions that a merchant is paid for, whichever company requested them. */
export const redemptionSource: ListSource<ListedRedemption> = {
  name: 'redemptions',
  select: sql`redemptions.id, redemptions.created_at as "createdAt", ${paidAt} as "paidAt",
    ${state} as state, serial_number as "serialNumber", to_merchant + service_fee as amount,
    service_fee as "serviceFee", to_merchant as "toMerchant", platform_reference as reference,
    ${providerReferenceOf(sql`redemptions.operation_id`)} as "providerReference",
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
        or redemptions.operation_id = any(array(select operation_id from placements
          where provider_reference = ${reference}::text)))`,
    ),
  },
};
