import { parseMoney } from '../../domain/money.js';
import type { VoucherStatus } from '../../domain/voucher.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { addTransfers } from '../ledger/ledger.js';
import { lockVoucher } from './vouchers.js';

export interface Cancellation {
  /** The status before; only an ACTIVE voucher is cancelled. */
  readonly statusBefore: VoucherStatus;
  readonly partnerId: number;
  readonly serialNumber: string;
  /** Decimal string: the value that was returned to the partner, or that remains. */
  readonly remaining: string;
}

/**
 * Cancels a voucher and returns its remaining value to its partner: reserved → gift (design 4). A
 * voucher that is not ACTIVE does not change. Undefined where the voucher does not exist.
 */
export async function cancelActiveVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
): Promise<Cancellation | undefined> {
  const voucher = await lockVoucher(transaction, voucherId);
  if (!voucher) return undefined;
  const { id, partner_id: partnerId, status, remaining } = voucher;
  if (status === 'ACTIVE') {
    await transaction
      .updateTable('vouchers')
      .set({ status: 'CANCELLED', returned: remaining, remaining: '0' })
      .where('id', '=', id)
      .execute();
    await addTransfers(transaction, [
      {
        operationId: `cancel-voucher:${id}`,
        partnerId,
        step: 'return',
        debit: 'reserved',
        credit: 'gift',
        amount: parseMoney(remaining),
      },
    ]);
  }
  return { statusBefore: status, partnerId, serialNumber: voucher.serial_number, remaining };
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
