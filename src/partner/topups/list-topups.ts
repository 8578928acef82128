import { z } from 'zod';
import { topupSource } from '../../db/topups/topups.ts';
import { timeParameter } from '../../http/fields/request-fields.ts';
import { listEndpoint } from '../../http/lists/list-endpoint.ts';
import { presentTopup, topupSchema } from './topup-view.ts';

/** Lists a partner's top-ups, newest first (beyond the specification). */
export const listTopups = listEndpoint({
  path: '/topup-transactions',
  summary: 'List top-ups',
  description:
    'Your top-ups, newest first, filtered by status, kind, time (from, to) or reference (ours or ' +
    "the provider's).",
  message: 'Top-ups',
  source: topupSource,
  defaultSort: [['transactionId', 'DESC']],
  defaultLimit: 20,
  parameters: {
    status: { schema: topupSchema.shape.status, column: 'status', operator: 'eq' },
    kind: { schema: topupSchema.shape.kind, column: 'kind', operator: 'eq' },
    from: {
      schema: timeParameter('Top-ups from this time on'),
      column: 'createdAt',
      operator: 'gte',
    },
    to: { schema: timeParameter('Top-ups before this time'), column: 'createdAt', operator: 'lt' },
    reference: {
      schema: z
        .string('must be one text')
        .min(1)
        .max(100)
        .meta({ description: "Reference of an attempt, ours or the provider's" }),
      column: 'reference',
      operator: 'eq',
    },
  },
  answer: z.array(topupSchema),
  present: presentTopup,
});
