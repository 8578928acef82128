import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import { MissingRowError } from '../missing-row.ts';
import type { LockedVoucher } from './vouchers.ts';

/**
 * Moves `taken` from a voucher's remaining balance to its hold; false when its status forbids it.
 */
export async function holdVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
  taken: string,
): Promise<boolean> {
  const updated = await transaction
    .updateTable('vouchers')
    .set({
      status: 'REDEEM_PROCESSING',
      remaining: sql<string>`remaining - ${taken}::numeric`,
      held: taken,
    })
    .where('id', '=', voucherId)
    .where('status', 'in', ['ACTIVE', 'REDEEM_INITIATED'])
    .executeTakeFirst();
  return updated.numUpdatedRows === 1n;
}

/** Ends the hold of a voucher: spent if the merchant was paid, else returned to its balance. */
export async function releaseVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
  outcome: 'spent' | 'returned',
): Promise<void> {
  const remaining = outcome === 'spent' ? sql<string>`remaining` : sql<string>`remaining + held`;
  const released = await transaction
    .updateTable('vouchers')
    .set({
      status: sql`case when ${remaining} > 0 then 'ACTIVE' else 'REDEEMED' end`,
      remaining,
      held: '0',
      current_claim_id: null,
    })
    .where('id', '=', voucherId)
    .where('status', '=', 'REDEEM_PROCESSING')
    .executeTakeFirst();
  // Every post and void must match a hold of the voucher.
  if (released.numUpdatedRows !== 1n) throw new Error('The voucher is not on hold');
}

/**
 * Returns the amount of a reversed redemption to a locked voucher, whatever its state (design 10). The
 * value of an expired or cancelled one goes to the gift wallet of its partner. An open claim of the
 * whole balance keeps its terms: it pays the whole of what its owner was told.
 */
export async function growVoucher(
  transaction: DatabaseTransaction,
  { id, status, remaining, current_claim_id: claimId }: LockedVoucher,
  amount: string,
): Promise<'voucher' | 'gift'> {
  const hasEnded = status === 'EXPIRED' || status === 'CANCELLED';
  if (status === 'REDEEM_INITIATED' && claimId !== null)
    await transaction
      .updateTable('voucher_claims')
      .set({ amount: remaining, was_whole: true })
      .where('id', '=', claimId)
      .where((where) => where('amount', 'is', null).or('amount', '=', remaining))
      .execute();
  const { numUpdatedRows } = await transaction
    .updateTable('vouchers')
    .set(
      hasEnded
        ? { returned: sql<string>`returned + ${amount}::numeric` }
        : {
            remaining: sql<string>`remaining + ${amount}::numeric`,
            ...(status === 'REDEEMED' ? { status: 'ACTIVE' } : {}),
          },
    )
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new MissingRowError('The voucher of a reversal is gone');
  return hasEnded ? 'gift' : 'voucher';
}

/**
 * Takes the amount of a payment that was made late from a locked voucher, or from what its end has returned to the
 * partner.
 *
 * @throws {Error} where the voucher does not have it any more
 */
export async function chargeVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
  amount: string,
  from: 'voucher' | 'partner',
): Promise<void> {
  const remaining = sql<string>`remaining - ${amount}::numeric`;
  const ofVoucher = transaction.updateTable('vouchers').where('id', '=', voucherId);
  const charged = await (from === 'partner'
    ? ofVoucher.set({ returned: sql<string>`returned - ${amount}::numeric` })
    : ofVoucher
        .set({
          remaining,
          status: sql`case when ${remaining} > 0 then 'ACTIVE' else 'REDEEMED' end`,
        })
        .where('status', '=', 'ACTIVE')
        .where('remaining', '>=', amount)
  ).executeTakeFirst();
  if (charged.numUpdatedRows !== 1n)
    throw new Error('The voucher does not have its value any more');
}
