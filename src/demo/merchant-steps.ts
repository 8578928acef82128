import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { moneyOf } from './amounts.js';
import type { DemoCaller } from './caller.js';

const redeemPath = '/topup-transactions/redeem-gift';

const detailSchema = z.object({
  data: z.object({
    voucher: z.object({ remainingBalance: z.string(), status: z.string() }),
    serviceFee: z.string(),
  }),
});

export const initiateClaim = (merchant: DemoCaller, title: string, voucherCode: string) =>
  merchant({
    title,
    path: '/topup-transactions/initiate-claim',
    body: { voucherCode, idempotencyKey: randomUUID(), metadata: '{"till":7}' },
    answer: z.object({ success: z.literal(true) }),
  });

export async function readVoucher(merchant: DemoCaller, title: string, voucherCode: string) {
  const path = `/topup-transactions/${voucherCode}`;
  const { data } = await merchant({ title, path, answer: detailSchema });
  return {
    status: data.voucher.status,
    remaining: moneyOf(data.voucher.remainingBalance),
    serviceFee: moneyOf(data.serviceFee),
  };
}

interface RedeemRequest {
  readonly voucherCode: string;
  /** Absent for an anonymous voucher. */
  readonly verificationCode?: string;
  readonly idempotencyKey: string;
}

/** Sends a mistyped code; the merchant is refused (4035) and no money moves. */
export const redeemWithWrongCode = (
  merchant: DemoCaller,
  title: string,
  request: RedeemRequest & { readonly verificationCode: string },
) => {
  const { verificationCode: code } = request;
  const lastDigit = (Number(code.slice(-1)) + 1) % 10;
  return merchant({
    title,
    path: redeemPath,
    body: { ...request, verificationCode: `${code.slice(0, -1)}${lastDigit}` },
    status: 403,
    answer: z.object({ statusCode: z.literal(4035), data: z.null() }),
  });
};

export const redeem = (merchant: DemoCaller, title: string, request: RedeemRequest) =>
  merchant({
    title,
    path: redeemPath,
    body: request,
    answer: z.object({
      data: z.object({ referenceNumber: z.string(), platformReferenceNumber: z.string() }),
    }),
  });
