import { z } from 'zod';
import { voucherSource } from '../../db/vouchers/lists/voucher-list.ts';
import { timeParameter } from '../../http/fields/request-fields.ts';
import { listEndpoint } from '../../http/lists/list-endpoint.ts';
import { presentVoucher, voucherSchema } from './voucher-view.ts';

/** Lists a partner's vouchers, newest first (beyond the specification). */
export const listVouchers = listEndpoint({
  path: '/vouchers',
  summary: 'List vouchers',
  description:
    'Your vouchers, newest first, filtered by status, serial number or time (from, to). No list ' +
    'shows their codes.',
  message: 'Vouchers',
  source: voucherSource,
  defaultSort: [['id', 'DESC']],
  defaultLimit: 20,
  parameters: {
    status: { schema: voucherSchema.shape.status, column: 'status', operator: 'eq' },
    from: {
      schema: timeParameter('Vouchers generated from this time on'),
      column: 'createdAt',
      operator: 'gte',
    },
    to: {
      schema: timeParameter('Vouchers generated before this time'),
      column: 'createdAt',
      operator: 'lt',
    },
    serialNumber: {
      schema: z
        .string('must be one text')
        .min(1)
        .max(100)
        .meta({ description: 'Serial number of a voucher' }),
      column: 'serialNumber',
      operator: 'eq',
    },
  },
  answer: z.array(voucherSchema),
  present: presentVoucher,
});
