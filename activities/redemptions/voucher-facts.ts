import type { LockedVoucher } from '../../src/db/vouchers/vouchers.ts';
import { parseMoney } from '../../src/domain/money.ts';

/** The facts of a voucher that all checks need, from its locked row. */
export const voucherFacts = (voucher: LockedVoucher) => ({
  partnerId: voucher.partner_id,
  merchantId: voucher.merchant_id,
  isRestricted: voucher.is_restricted,
  status: voucher.status,
  isPastExpiry: Boolean(voucher.is_past_expiry),
  remaining: parseMoney(voucher.remaining),
});
