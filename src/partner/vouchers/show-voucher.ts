import { findVoucherDetail } from '../../db/vouchers/voucher-detail.ts';
import { refuse } from '../../domain/refusals.ts';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { presentVoucherDetail, voucherDetailSchema, voucherParams } from './voucher-view.ts';

/** Shows one voucher with its history (beyond the specification). */
export const showVoucher = endpoint({
  method: 'GET',
  path: '/vouchers/:voucherId',
  operation: 'show-voucher',
  summary: 'Show a voucher',
  description:
    'State, remaining value, claims, redemptions and messages of a voucher, for example after a ' +
    'broken connection. Never its code.',
  access: 'token',
  scope: 'read',
  params: voucherParams,
  answer: voucherDetailSchema,
  reasons: ['voucher-id-not-found'],
  async handle({ services, company, params }) {
    const partnerId = company.id;
    const voucher = await findVoucherDetail(services.database, params.voucherId, { partnerId });
    if (!voucher) return refuse('voucher-id-not-found');
    return reply(presentVoucherDetail(voucher), { message: 'Voucher found' });
  },
});
