import { z } from 'zod';
import { payoutSource } from '../db/vouchers/lists/payout-days.ts';
import { moneyAnswer } from '../http/fields/answer-fields.ts';
import { listEndpoint } from '../http/lists/list-endpoint.ts';

const dayField = (description: string) =>
  z.iso.date('must be a day, such as 2026-01-31').meta({ description, examples: ['2026-01-31'] });

/** Lists a merchant's payouts by day, newest first (beyond the specification). */
export const listPayouts = listEndpoint({
  path: '/payouts',
  summary: 'List payouts by day',
  description:
    'Payments to you by mobile money, by the day in UTC of the provider’s confirmation, newest ' +
    'first. Days without a payment are left out; payments that you reversed, ' +
    'or that the provider took back, are not in it.',
  message: 'Payouts',
  source: payoutSource,
  defaultSort: [['day', 'DESC']],
  defaultLimit: 31,
  parameters: {
    from: { schema: dayField('First day, YYYY-MM-DD'), column: 'day', operator: 'gte' },
    to: { schema: dayField('Last day, YYYY-MM-DD'), column: 'day', operator: 'lte' },
  },
  answer: z.array(
    z.object({
      day: dayField('Day in UTC'),
      payouts: z.int().meta({ description: 'Number of payments', examples: [12] }),
      paid: moneyAnswer('What was paid to you in ETB', '4850.000000'),
      serviceFees: moneyAnswer('The service fees of these redemptions in ETB', '121.250000'),
    }),
  ),
  present: ({ day, sums }) => ({ day, ...sums }),
});
