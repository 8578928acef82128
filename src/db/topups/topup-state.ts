import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.js';

/** What is true of a top-up now, whatever its first answer was. Times are texts in ISO 8601. */
export interface TopupTruth {
  /** Whether the partner's wallet has paid for it. */
  readonly charged: boolean;
  /** Delivered although it had failed. */
  readonly late_delivery: { readonly at: string; readonly is_settled: boolean } | null;
  /** Taken back by the provider after it had been delivered. */
  readonly reversal: { readonly at: string; readonly is_credited: boolean } | null;
}

/** Of an attempt `try`: its money was given back after it had been delivered. */
const isCredited = sql`(try.reversed_at is not null
  and try.settled_by is not distinct from 'partner')`;

/** Of an attempt `try`: it was delivered, and counts as that. */
const isDelivered = sql`(try.contradicted_at is not null
  or try.status = 'POSTED' and not ${isCredited})`;

/** Of a top-up: one of its attempts counts as delivered. */
export const hasDelivery = sql`exists (
  select from topup_attempts as try where try.topup_id = topups.id and ${isDelivered})`;

/** Of a top-up: an attempt was posted, and its money was not given back since. */
export const isChargedAtOnce = sql`exists (
  select from topup_attempts as try where try.topup_id = topups.id and try.status = 'POSTED'
    and not ${isCredited})`;

/** The columns of a TopupTruth. */
export const topupTruth = sql`
  exists (select from topup_attempts as try where try.topup_id = topups.id
    and (try.status = 'POSTED' and not ${isCredited}
      or try.contradicted_at is not null and try.settled_by = 'partner')) as charged,
  (select json_build_object('at', contradicted_at, 'is_settled', settled_by is not null)
    from topup_attempts as try where try.topup_id = topups.id and contradicted_at is not null
    order by try.attempt desc limit 1) as late_delivery,
  (select json_build_object('at', reversed_at, 'is_credited', ${isCredited})
    from topup_attempts as try where try.topup_id = topups.id and try.attempt = topups.attempt
      and reversed_at is not null) as reversal`;

/** Brings a top-up that has ended to the state that its attempts say, in these words. */
export async function refreshTopup(
  transaction: DatabaseTransaction,
  topupId: number,
  words: { readonly message: string; readonly providerReference: string | null },
): Promise<void> {
  const status = sql`case when ${hasDelivery} then 'SUCCESS' else 'FAILED' end`;
  await sql`
    update topups set status = ${status}, message = ${words.message},
      provider_reference = ${words.providerReference}, updated_at = now()
    where id = ${topupId} and status in ('SUCCESS', 'FAILED') and status <> ${status}
  `.execute(transaction);
}
