import { cancelActiveVoucher } from '../../db/vouchers/cancellation.js';
import type { VoucherStatus } from '../../domain/voucher.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { money } from '../tables.js';
import { voucherArgument, voucherIdOf, voucherNotFound } from '../voucher-name.js';

/** The remedy for a voucher that is not ACTIVE. */
const refusals: Readonly<Record<Exclude<VoucherStatus, 'ACTIVE'>, string>> = {
  REDEEM_INITIATED: 'try again when its claim has ended, in some minutes',
  REDEEM_PROCESSING: 'try again when its payment has ended',
  REDEEMED: 'there is nothing to return',
  EXPIRED: 'its remaining value was already returned',
  CANCELLED: 'its remaining value was already returned',
};

export const cancelVoucher = changeCommand({
  name: 'cancel voucher',
  summary: 'Cancel a voucher and return its remaining value to its partner',
  details:
    'The remaining value moves from the reserved to the gift wallet. Only an ACTIVE voucher can ' +
    'be cancelled, not one that is claimed or being redeemed. A cancellation is final.',
  fields: { voucher: voucherArgument },
  examples: ['cancel voucher 17', 'cancel voucher 012345678901234567'],
  async change(transaction, input) {
    const voucherId = await voucherIdOf(transaction, input.voucher);
    const cancelled = await cancelActiveVoucher(transaction, voucherId);
    if (!cancelled) throw voucherNotFound(input.voucher);
    const { statusBefore, serialNumber, partnerId, remaining } = cancelled;
    if (statusBefore !== 'ACTIVE')
      throw new AdminError(
        `Voucher ${serialNumber} is ${statusBefore}: ${refusals[statusBefore]}.`,
      );
    return {
      subject: { kind: 'voucher', id: voucherId },
      details: { serialNumber, partnerId, returned: remaining },
      text:
        `Cancelled voucher ${serialNumber}: ETB ${money(remaining)} was returned to the gift ` +
        `wallet of partner ${partnerId}.`,
    };
  },
});
