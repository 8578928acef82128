import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { idAnswer, moneyAnswer } from '../../http/fields/answer-fields.ts';
import { cancelVoucherOnce } from '../../operations/later-voucher-operations.ts';
import { voucherParams } from './voucher-view.ts';

/** Cancels a voucher and returns its unused value (beyond the specification). */
export const cancelVoucher = endpoint({
  method: 'POST',
  path: '/vouchers/:voucherId/cancel',
  operation: 'cancel-voucher',
  summary: 'Cancel a voucher',
  description:
    'Returns what remains of a voucher to the gift balance. A cancellation is final and ends an ' +
    'open claim. While a redemption is being paid it is refused. A voucher that is cancelled ' +
    'already answers what its cancellation returned.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  params: voucherParams,
  answer: z.object({
    id: idAnswer('voucher'),
    status: z.literal('CANCELLED').meta({ description: 'Always CANCELLED' }),
    returnedAmount: moneyAnswer('What went back to the gift balance in ETB'),
  }),
  reasons: [
    'account-suspended',
    'voucher-id-not-found',
    'voucher-redeemed',
    'voucher-being-redeemed',
    'voucher-expired',
    'reserve-not-updated',
    'database-failed',
    'key-reused',
    'still-processing',
  ],
  async handle({ services, company, params, key }) {
    const { voucherId } = params;
    const { result, replayed } = await cancelVoucherOnce(services, { company, key, voucherId });
    if (!result.ok) return { ...result, replayed };
    return reply(
      { id: voucherId, status: 'CANCELLED', returnedAmount: result.returned },
      { message: 'Voucher cancelled', replayed },
    );
  },
});
