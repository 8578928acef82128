import type { Database } from '../db/connection.ts';
import { findVoucherBySerialNumber } from '../db/vouchers/cancellation.ts';
import { AdminError } from './admin-error.ts';
import { argument, byConversion } from './fields.ts';

const SERIAL_NUMBER = /^[0-9]{18}$/;

/** A voucher by its id or its serial number. */
export type VoucherName = { readonly id: number } | { readonly serialNumber: string };

/** A voucher's id, or its serial number: no id has that many digits. */
const voucherName = byConversion<VoucherName>(
  'voucher',
  'must be the id of a voucher, or its serial number of 18 digits',
  (given) => {
    if (SERIAL_NUMBER.test(given)) return { serialNumber: given };
    return /^[1-9][0-9]{0,14}$/.test(given) ? { id: Number(given) } : undefined;
  },
);

/** The argument for a voucher. */
export const voucherArgument = argument(voucherName, 'The id of the voucher, or its serial number');

/** @throws {AdminError} where no voucher has the serial number */
export async function voucherIdOf(database: Database, name: VoucherName): Promise<number> {
  const found =
    'id' in name ? name.id : await findVoucherBySerialNumber(database, name.serialNumber);
  if (found === undefined) throw voucherNotFound(name);
  return found;
}

export const voucherNotFound = (name: VoucherName): AdminError =>
  new AdminError(
    `There is no voucher ${'id' in name ? name.id : name.serialNumber}: see "list vouchers".`,
  );
