import { sql } from 'kysely';
import type { DatabaseTransaction } from './connection.js';

/**
 * Part of a query: wrong codes count for a day, and the oldest of them says when the next try is
 * allowed.
 */
export const wrongCodes = (voucherId: number) => sql`
  select count(*)::int as wrong_codes,
    coalesce(ceil(extract(epoch from min(created_at) + interval '1 day' - now()))::int, 0)
      as wrong_codes_retry_seconds
  from verification_attempts
  where voucher_id = ${voucherId} and created_at > now() - interval '1 day'`;

/** Counts one wrong code; the same request counts once, however often it is repeated. */
export async function countWrongCode(
  transaction: DatabaseTransaction,
  attempt: {
    readonly voucherId: number;
    readonly operationId: string;
    readonly requestDigest: string;
  },
): Promise<void> {
  await transaction
    .insertInto('verification_attempts')
    .values({
      voucher_id: attempt.voucherId,
      operation_id: attempt.operationId,
      request_digest: attempt.requestDigest,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A right code clears the count. */
export async function clearWrongCodes(
  transaction: DatabaseTransaction,
  voucherId: number,
): Promise<void> {
  await transaction
    .deleteFrom('verification_attempts')
    .where('voucher_id', '=', voucherId)
    .execute();
}
