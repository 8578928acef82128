import { z } from 'zod';
import { voucherDetail } from '../db/vouchers.js';
import { refuse } from '../domain/errors.js';
import { formatMoney, parseMoney, percentageOf } from '../domain/money.js';
import { isRedeemableAt } from '../domain/voucher.js';
import { formatVoucherCode } from '../domain/voucher-code.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { voucherCodeField } from '../http/fields.js';
import { countGuess, refuseGuessing } from '../http/voucher-guesses.js';

/** Shows a voucher to a merchant where it may be redeemed (specification 2.3 and 4.2). */
export const showVoucher = endpoint({
  method: 'GET',
  path: '/topup-transactions/:voucherCode',
  operation: 'voucher-detail',
  summary: 'Voucher detail',
  description:
    "The voucher and the service fee on its remaining balance at the calling merchant's percentage.",
  access: 'token',
  params: z.object({ voucherCode: voucherCodeField }),
  answer: z.object({
    voucher: z.object({
      id: z.number(),
      code: z.string(),
      serialNumber: z.string(),
      amount: z.string(),
      remainingBalance: z.string(),
      status: z.string(),
      expirationDate: z.iso.datetime(),
    }),
    serviceFee: z.string(),
  }),
  reasons: ['voucher-not-found', 'merchant-not-found', 'service-fee-missing'],
  async handle({ services, company, sourceAddress, params }) {
    const asker = { company, sourceAddress };
    const guessing = await refuseGuessing(services, asker);
    if (guessing) return guessing;
    const { canonical } = params.voucherCode;
    const voucher =
      canonical === undefined
        ? undefined
        : await voucherDetail(
            services.database,
            company.id,
            services.digests.voucherCode(canonical),
          );
    const isVisible = voucher && isRedeemableAt(voucher, company.id);
    if (!isVisible || canonical === undefined) {
      const refusal = refuse('voucher-not-found');
      await countGuess(services, asker, params.voucherCode, refusal);
      return refusal;
    }
    if (voucher.merchant_status !== 'ACTIVE') return refuse('merchant-not-found');
    if (voucher.service_fee_percent === null) return refuse('service-fee-missing');
    const fee = percentageOf(parseMoney(voucher.remaining), voucher.service_fee_percent);
    return reply(
      {
        voucher: {
          id: voucher.id,
          code: formatVoucherCode(canonical),
          serialNumber: voucher.serial_number,
          amount: voucher.amount,
          remainingBalance: voucher.remaining,
          status: voucher.status,
          expirationDate: voucher.expires_at.toISOString(),
        },
        serviceFee: formatMoney(fee),
      },
      { message: 'Voucher found' },
    );
  },
});
