import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import { heldAmount } from '../ledger/holds.ts';
import { doneBeside, isDisputed } from '../reconciliation/disputes.ts';

/** The current state of a top-up, regardless of its first answer. Times are texts in ISO 8601. */
export interface TopupTruth {
  /** Whether the partner's wallet has paid for it. */
  readonly charged: boolean;
  /** Delivered after a failure. */
  readonly late_delivery: { readonly at: string; readonly is_settled: boolean } | null;
  /** Reversed by the provider after the delivery. */
  readonly reversal: { readonly at: string; readonly is_credited: boolean } | null;
}

/** For an attempt `try`: its money was returned after the delivery. */
const isCredited = sql`(try.reversed_at is not null
  and try.settled_by is not distinct from 'partner')`;

/** For an attempt `try`: what a provider did beside the one of its row, and has not given back. */
const besideTry = doneBeside(sql`try.operation_id`);

const isDoneBeside = sql`coalesce((select true ${besideTry} limit 1), false)`;
const isBesideCharged = sql`coalesce((
  select true ${besideTry} and failover.settled_by = 'partner' limit 1), false)`;

/** For an attempt `try`: it was delivered at once, and counts as delivered. */
const isDeliveredAtOnce = sql`(try.status = 'POSTED' and not ${isCredited})`;

/** For an attempt `try`: it was delivered, by whomever, and counts as delivered. */
const isDelivered = sql`(try.contradicted_at is not null or ${isDeliveredAtOnce} or ${isDoneBeside})`;

/** For an attempt `try`: it counts as delivered only because of what was found later. */
const isDeliveredLate = sql`(try.contradicted_at is not null
  or not ${isDeliveredAtOnce} and ${isDoneBeside})`;

/*
 * None of these is `exists`, which PostgreSQL may answer for many top-ups by reading all attempts of
 * everybody once.
 */

/** For a top-up: one of its attempts counts as delivered. */
export const hasDelivery = sql`coalesce((
  select true from topup_attempts as try where try.topup_id = topups.id and ${isDelivered}
  limit 1), false)`;

/** For a top-up: an attempt was posted, and its money was not returned. */
export const isChargedAtOnce = sql`coalesce((
  select true from topup_attempts as try where try.topup_id = topups.id and ${isDeliveredAtOnce}
  limit 1), false)`;

/** For a top-up: what a provider says of one of its attempts is not clear. */
export const hasDisputedAttempt = sql<boolean>`coalesce((
  select true from topup_attempts as try where try.topup_id = topups.id and ${isDisputed('try')}
  limit 1), false)`;

/** The columns of a TopupTruth. */
export const topupTruth = sql`
  coalesce((select true from topup_attempts as try where try.topup_id = topups.id
    and (${isDeliveredAtOnce} or ${isBesideCharged}
      or try.contradicted_at is not null and try.settled_by = 'partner') limit 1), false) as charged,
  (select case when contradicted_at is not null
      then json_build_object('at', contradicted_at, 'is_settled', settled_by is not null)
      else (select json_build_object('at', max(done_at), 'is_settled',
        bool_and(failover.settled_at is not null)) ${besideTry}) end
    from topup_attempts as try where try.topup_id = topups.id and ${isDeliveredLate}
    order by try.attempt desc limit 1) as late_delivery,
  (select json_build_object('at', reversed_at, 'is_credited', ${isCredited})
    from topup_attempts as try where try.topup_id = topups.id and try.attempt = topups.attempt
      and reversed_at is not null) as reversal`;

/** SQL expression for `topups`: what another attempt would cost; a package its price of now. */
export const amountOfRetry = sql<string | null>`case when topups.kind = 'PACKAGE' then coalesce(
  (select price_amount from products where products.id = topups.product_id), topups.amount)
  else topups.amount end`;

/**
 * SQL expression for an attempt `try` of `topups`: what it held, and was charged if it was delivered. A later
 * attempt may have another price, and the ledger knows what this one held.
 */
export const amountOfAttempt = sql`case when try.attempt = topups.attempt then topups.amount
  else ${heldAmount(sql`try.operation_id`)} end`;

/** Updates a completed top-up to the state of its attempts, with this message. */
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
