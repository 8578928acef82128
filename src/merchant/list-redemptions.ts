import { z } from 'zod';
import { redemptionSource } from '../db/vouchers/lists/redemption-list.ts';
import { idAnswer, moneyAnswer, textAnswer, timeAnswer } from '../http/fields/answer-fields.ts';
import { timeParameter } from '../http/fields/request-fields.ts';
import { presentReversal, reversalAnswer } from '../http/fields/reversal-fields.ts';
import { listEndpoint } from '../http/lists/list-endpoint.ts';

const redemptionSchema = z.object({
  id: idAnswer('redemption'),
  createdAt: timeAnswer('When it began'),
  paidAt: timeAnswer('When the provider confirmed the payment; null unless it was paid').nullable(),
  state: z.enum(['HELD', 'POSTED', 'VOIDED', 'CONTRADICTED', 'REVERSED']).meta({
    title: 'RedemptionState',
    description:
      'HELD is being paid; POSTED was paid; VOIDED was refused; CONTRADICTED was refused and ' +
      'paid later; REVERSED was paid and taken back, by you or by the provider',
    examples: ['POSTED'],
  }),
  serialNumber: textAnswer('Serial number of the voucher', '482193756041827305'),
  amount: moneyAnswer('What was taken from the voucher in ETB', '205.000000'),
  serviceFee: moneyAnswer('The service fee in it', '5.000000'),
  toMerchant: moneyAnswer('What is paid to you', '200.000000'),
  platformReferenceNumber: textAnswer('Our reference of the redemption', 'RDM-0123456789ABCDEF'),
  referenceNumber: textAnswer("The mobile-money provider's reference", '2237512891').nullable(),
  reversal: reversalAnswer,
});

/** Lists the redemptions that a merchant is paid for, newest first (beyond the specification). */
export const listRedemptions = listEndpoint({
  path: '/redemptions',
  summary: 'List redemptions',
  description:
    'The redemptions that you are paid for, newest first, whichever company requested them; ' +
    'filtered by state, time (from, to) or reference (ours or the provider’s).',
  message: 'Redemptions',
  source: redemptionSource,
  defaultSort: [['id', 'DESC']],
  defaultLimit: 20,
  parameters: {
    state: { schema: redemptionSchema.shape.state, column: 'state', operator: 'eq' },
    from: {
      schema: timeParameter('Redemptions begun from this time on'),
      column: 'createdAt',
      operator: 'gte',
    },
    to: {
      schema: timeParameter('Redemptions begun before this time'),
      column: 'createdAt',
      operator: 'lt',
    },
    reference: {
      schema: z
        .string('must be one text')
        .min(1)
        .max(100)
        .meta({ description: "Reference of a redemption, ours or the provider's" }),
      column: 'reference',
      operator: 'eq',
    },
  },
  answer: z.array(redemptionSchema),
  present: ({ createdAt, paidAt, reference, providerReference, reversal, ...redemption }) => ({
    ...redemption,
    createdAt: createdAt.toISOString(),
    paidAt: paidAt?.toISOString() ?? null,
    platformReferenceNumber: reference,
    referenceNumber: providerReference,
    reversal: presentReversal(reversal),
  }),
});
