import { parseMoney } from '../../domain/money.ts';
import {
  type Database,
  type DatabaseTransaction,
  firstValue,
  onlyRow,
  updateRow,
} from '../connection.ts';
import { returnReserve } from '../ledger/ledger.ts';
import { type EndedClaim, endLiveClaim, releaseClaimedVoucher } from './claims.ts';
import type { LockedVoucher } from './vouchers.ts';

/**
 * Cancels a cancellable voucher and returns its remaining value to its partner: reserved → gift. An open claim
 * ends first, so that its code pays nothing; returns it, because its workflow waits.
 */
export async function cancelLockedVoucher(
  transaction: DatabaseTransaction,
  { id, partner_id: partnerId, remaining, current_claim_id: claimId }: LockedVoucher,
): Promise<EndedClaim | null> {
  const endedClaim = await endLiveClaim(transaction, claimId, 'CANCELLED');
  if (claimId !== null) await releaseClaimedVoucher(transaction, claimId);
  await updateRow(transaction, 'vouchers', id, {
    status: 'CANCELLED',
    returned: remaining,
    remaining: '0',
  });
  await returnReserve(transaction, [
    { operationId: `cancel-voucher:${id}`, partnerId, amount: parseMoney(remaining) },
  ]);
  return endedClaim;
}

/**
 * What the cancellation of a voucher returned, as a decimal string. The voucher's row also has what reversals have
 * returned since.
 */
export async function returnedByCancellation(
  database: Database,
  voucherId: number,
): Promise<string> {
  const found = await onlyRow<{ returned: string }>(database, 'A cancelled voucher is gone')`
    select returned - coalesce((
      select sum(to_merchant + service_fee) from redemptions
      where voucher_id = vouchers.id and credited_to = 'gift' and not charged), 0) as returned
    from vouchers where id = ${voucherId}`;
  return found.returned;
}

/** The id of the voucher with this serial number. */
export const findVoucherBySerialNumber = (database: Database, serialNumber: string) =>
  firstValue<number>(database)`select id from vouchers where serial_number = ${serialNumber}`;
