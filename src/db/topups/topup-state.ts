import { sql } from 'kysely';
import { heldAmount } from '../ledger/holds.ts';
import { isTopupBlocked } from '../positions/cases.ts';

/** The current state of a top-up, regardless of its first answer. Times are texts in ISO 8601. */
export interface TopupTruth {
  /** Whether the partner's wallet has paid for it. */
  readonly charged: boolean;
  /** Delivered after a failure. */
  readonly late_delivery: { readonly at: string; readonly is_settled: boolean } | null;
  /** Reversed by the provider after the delivery. */
  readonly reversal: { readonly at: string; readonly is_credited: boolean } | null;
}

/** For an attempt `try`: its provider took it back after the delivery. */
const isTakenBack = sql`(try.status = 'POSTED' and not try.is_done)`;

/** For an attempt `try`: it was delivered after it had failed. */
const isDeliveredLate = sql`(try.status = 'VOIDED' and try.is_done)`;

/*
 * None of these is `exists`, which PostgreSQL may answer for many top-ups by reading all attempts of
 * everybody once.
 */

/** The columns of a TopupTruth. */
export const topupTruth = sql`
  coalesce((select true from topup_attempts as try where try.topup_id = topups.id
    and try.charged limit 1), false) as charged,
  (select json_build_object('at', try.changed_at, 'is_settled', not ${isTopupBlocked(sql`topups.id`)})
    from topup_attempts as try where try.topup_id = topups.id and ${isDeliveredLate}
    order by try.attempt desc limit 1) as late_delivery,
  (select json_build_object('at', try.changed_at, 'is_credited', not try.charged)
    from topup_attempts as try where try.topup_id = topups.id and try.attempt = topups.attempt
      and ${isTakenBack}) as reversal`;

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
