import { parseMoney } from '../../domain/money.ts';
import { isCancellable, type VoucherStatus } from '../../domain/vouchers/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { returnReserve } from '../ledger/ledger.ts';
import { isBlocked } from '../positions/cases.ts';
import { type EndedClaim, endLiveClaim } from './claims.ts';
import { type LockedVoucher, lockVoucher } from './vouchers.ts';

export interface Cancellation {
  /** The status before; a voucher that was not cancellable has not changed. */
  readonly statusBefore: VoucherStatus;
  readonly partnerId: number;
  readonly serialNumber: string;
  /** Decimal string: the value that was returned to the partner. */
  readonly returned: string;
}

/** Cancels a voucher where its status allows it. Undefined where the voucher does not exist. */
export async function cancelVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
): Promise<Cancellation | undefined> {
  const voucher = await lockVoucher(transaction, voucherId);
  if (!voucher) return undefined;
  const { partner_id: partnerId, serial_number: serialNumber, status: statusBefore } = voucher;
  if (!isCancellable(statusBefore) || (await isBlocked(transaction, voucherId)))
    return { statusBefore, partnerId, serialNumber, returned: voucher.returned };
  await cancelLockedVoucher(transaction, voucher);
  return { statusBefore, partnerId, serialNumber, returned: voucher.remaining };
}

/**
 * Cancels a cancellable voucher and returns its remaining value to its partner: reserved → gift
 * (design 4). An open claim ends first, so that its code pays nothing; returns it, because its
 * workflow waits.
 */
export async function cancelLockedVoucher(
  transaction: DatabaseTransaction,
  { id, partner_id: partnerId, status, remaining, current_claim_id: claimId }: LockedVoucher,
): Promise<EndedClaim | null> {
  const endedClaim = await endLiveClaim(transaction, claimId, 'CANCELLED');
  if (status === 'REDEEM_INITIATED')
    await transaction
      .updateTable('vouchers')
      .set({ status: 'ACTIVE', current_claim_id: null })
      .where('id', '=', id)
      .execute();
  await transaction
    .updateTable('vouchers')
    .set({ status: 'CANCELLED', returned: remaining, remaining: '0' })
    .where('id', '=', id)
    .execute();
  await returnReserve(transaction, [
    { operationId: `cancel-voucher:${id}`, partnerId, amount: parseMoney(remaining) },
  ]);
  return endedClaim;
}

/** The id of the voucher with this serial number. */
export async function findVoucherBySerialNumber(
  database: Database,
  serialNumber: string,
): Promise<number | undefined> {
  const row = await database
    .selectFrom('vouchers')
    .select('id')
    .where('serial_number', '=', serialNumber)
    .executeTakeFirst();
  return row?.id;
}
