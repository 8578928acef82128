import { moneyOf } from './amounts.ts';
import type { DemoMerchant } from './companies.ts';
import { refused } from './narrated-client.ts';

export const initiateClaim = (merchant: DemoMerchant, title: string, voucherCode: string) =>
  merchant(title, ({ vouchers }) =>
    vouchers.initiateClaim({ voucherCode, metadata: '{"till":7}' }),
  );

export async function readVoucher(merchant: DemoMerchant, title: string, voucherCode: string) {
  const { voucher, serviceFee } = await merchant(title, ({ vouchers }) =>
    vouchers.read(voucherCode),
  );
  return {
    status: voucher.status,
    remaining: moneyOf(voucher.remainingBalance),
    serviceFee: moneyOf(serviceFee),
  };
}

interface RedeemRequest {
  readonly voucherCode: string;
  /** Absent for an anonymous voucher. */
  readonly verificationCode?: string;
}

/** Sends a mistyped code; the merchant is refused (4035) and no money moves. */
export const redeemWithWrongCode = (
  merchant: DemoMerchant,
  title: string,
  request: RedeemRequest & { readonly verificationCode: string },
  idempotencyKey: string,
) => {
  const { verificationCode: code } = request;
  const lastDigit = (Number(code.slice(-1)) + 1) % 10;
  const mistyped = { ...request, verificationCode: `${code.slice(0, -1)}${lastDigit}` };
  return refused(merchant, title, 4035, ({ vouchers }) =>
    vouchers.redeem(mistyped, { idempotencyKey }),
  );
};

export const redeem = (
  merchant: DemoMerchant,
  title: string,
  request: RedeemRequest,
  idempotencyKey?: string,
) => merchant(title, ({ vouchers }) => vouchers.redeem(request, { idempotencyKey }));
