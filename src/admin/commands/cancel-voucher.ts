import { cancelVoucher as cancel } from '../../db/vouchers/cancellation.ts';
import { parseMoney } from '../../domain/money.ts';
import { isCancellable, type VoucherStatus } from '../../domain/vouchers/voucher.ts';
import { cancelVoucher as cancelVoucherRepair } from '../../repairs/voucher-repairs.ts';
import { changeCommand } from '../command.ts';
import { AdminError } from '../fields.ts';
import { voucherArgument, voucherIdOf, voucherNotFound } from '../record-names.ts';
import { money } from '../tables.ts';
import { requireSmall } from './repairs.ts';

/** The remedy for a voucher that cannot be cancelled. */
const refusals: Readonly<Partial<Record<VoucherStatus, string>>> = {
  REDEEM_PROCESSING: 'try again when its payment has ended',
  REDEEMED: 'there is nothing to return',
  EXPIRED: 'its remaining value was already returned',
  CANCELLED: 'its remaining value was already returned',
};

export const cancelVoucher = changeCommand({
  name: 'cancel voucher',
  details:
    'The remaining value moves from the reserved to the gift wallet, and an open claim ends. A ' +
    'voucher that is being redeemed cannot be cancelled. A cancellation is final. From ' +
    'REPAIR_CONFIRM_FROM on ask at /support for the repair cancel-voucher, which another person confirms.',
  fields: { voucher: voucherArgument },
  examples: ['cancel voucher 17', 'cancel voucher 012345678901234567'],
  async change(transaction, input, context) {
    const voucherId = await voucherIdOf(transaction, input.voucher);
    const cancelled = await cancel(transaction, voucherId);
    if (!cancelled) throw voucherNotFound(input.voucher);
    const { statusBefore, serialNumber, partnerId, returned } = cancelled;
    if (!isCancellable(statusBefore))
      throw new AdminError(
        `Voucher ${serialNumber} is ${statusBefore}: ${refusals[statusBefore]}.`,
      );
    requireSmall(parseMoney(returned), context, cancelVoucherRepair);
    return {
      subject: { kind: 'voucher', id: voucherId },
      details: { serialNumber, partnerId, returned },
      text:
        `Cancelled voucher ${serialNumber}: ETB ${money(returned)} was returned to the gift ` +
        `wallet of partner ${partnerId}.`,
    };
  },
});
