import { sql } from 'kysely';
import { parseMoney } from '../domain/money.js';
import type { DatabaseTransaction } from './connection.js';
import { addTransfers } from './ledger.js';

/**
 * Expires up to `batchSize` vouchers whose date has passed, by the database's clock, and gives what
 * remains back to their partners: reserved → gift (design 4). Vouchers that a claim or a redemption
 * holds locked are skipped; the next sweep finds them. Returns how many it expired.
 */
export async function expireVouchers(
  transaction: DatabaseTransaction,
  batchSize: number,
): Promise<number> {
  const due = await transaction
    .selectFrom('vouchers')
    .select(['id', 'partner_id', 'remaining'])
    .where('status', '=', 'ACTIVE')
    .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
    .orderBy('expires_at')
    .limit(batchSize)
    .forUpdate()
    .skipLocked()
    .execute();
  if (due.length === 0) return 0;
  await transaction
    .updateTable('vouchers')
    .set({
      status: 'EXPIRED',
      returned: sql<string>`remaining`,
      remaining: '0',
    })
    .where(
      'id',
      'in',
      due.map(({ id }) => id),
    )
    .execute();
  await addTransfers(
    transaction,
    due.map((voucher) => ({
      operationId: `expire-voucher:${voucher.id}`,
      partnerId: voucher.partner_id,
      step: 'return',
      debit: 'reserved',
      credit: 'gift',
      amount: parseMoney(voucher.remaining),
    })),
  );
  return due.length;
}
