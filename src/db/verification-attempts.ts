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

/**
 * Counts one wrong code. It stands in the transaction that also settles the operation, so a repeated
 * request is answered from there and neither compared nor counted again.
 */
export async function countWrongCode(
  transaction: DatabaseTransaction,
  attempt: { readonly voucherId: number; readonly operationId: string },
): Promise<void> {
  await transaction
    .insertInto('verification_attempts')
    .values({ voucher_id: attempt.voucherId, operation_id: attempt.operationId })
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
