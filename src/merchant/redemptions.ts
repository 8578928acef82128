import { z } from 'zod';
import { listedRedemptionStates, payoutList, redemptionList } from '../db/lists/redemptions.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply, replyOnce } from '../http/envelope.ts';
import {
  creditedAnswer,
  creditedToAnswer,
  echoedFields,
  echoOf,
  idAnswer,
  moneyAnswer,
  presentReversal,
  reversalAnswer,
  textAnswer,
  timeAnswer,
} from '../http/fields/answer-fields.ts';
import { idField, merchantFields } from '../http/fields/request-fields.ts';
import { listEndpoint, listParameters } from '../http/lists/list-endpoint.ts';
import { reverseRedemptionOnce } from '../operations/redemptions.ts';

const dayField = (description: string) =>
  z.iso.date('must be a day, such as 2026-01-31').meta({ description, examples: ['2026-01-31'] });

/** Lists a merchant's payouts by day, newest first (beyond the specification). */
export const listPayoutsEndpoint = listEndpoint({
  path: '/payouts',
  summary: 'List payouts by day',
  description:
    'Payments to you by mobile money, by the day in UTC of the provider’s confirmation, newest ' +
    'first. Days without a payment are left out; payments that you reversed, ' +
    'or that the provider took back, do not count.',
  message: 'Payouts',
  list: payoutList,
  defaultLimit: 31,
  parameters: {
    from: { schema: dayField('First day, YYYY-MM-DD'), column: 'day', operator: 'gte' },
    to: { schema: dayField('Last day, YYYY-MM-DD'), column: 'day', operator: 'lte' },
  },
  item: z.object({
    day: dayField('Day in UTC'),
    payouts: z.int().meta({ description: 'Number of payments', examples: [12] }),
    paid: moneyAnswer('What was paid to you in ETB', '4850.000000'),
    serviceFees: moneyAnswer('The service fees of these redemptions in ETB', '121.250000'),
  }),
  present: ({ sums }) => sums,
});

const redemptionSchema = z.object({
  id: idAnswer('redemption'),
  createdAt: timeAnswer('When it began'),
  paidAt: timeAnswer('When the provider confirmed the payment; null unless it was paid').nullable(),
  state: z.enum(listedRedemptionStates).meta({
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
export const listRedemptionsEndpoint = listEndpoint({
  path: '/redemptions',
  summary: 'List redemptions',
  description:
    'The redemptions that you are paid for, newest first, requested by any company; ' +
    'filtered by state, time (from, to) or reference (ours or the provider’s).',
  message: 'Redemptions',
  list: redemptionList,
  defaultLimit: 20,
  parameters: {
    state: listParameters.choice(redemptionSchema.shape.state, 'state'),
    from: listParameters.from('Redemptions begun from this time on'),
    to: listParameters.to('Redemptions begun before this time'),
    reference: listParameters.exact(
      "Reference of a redemption, ours or the provider's",
      'reference',
    ),
  },
  item: redemptionSchema,
  present: ({ reversal }) => ({ reversal: presentReversal(reversal) }),
});

/** Takes the payment of a redemption back (beyond the specification). */
export const reverseRedemptionEndpoint = endpoint({
  method: 'POST',
  path: '/redemptions/:redemptionId/reverse',
  operation: 'reverse-redemption',
  summary: 'Reverse a redemption',
  description:
    'Takes back the whole payment that you got for a redemption. The amount and its service fee are on ' +
    'the voucher again, and an SMS tells its owner. The value of a voucher that has expired or was ' +
    'cancelled goes to the partner that issued it. A reversal is possible once, and within a limited ' +
    'time after the payment. Until the provider has answered, repeat the same request to get the ' +
    'result.',
  access: 'signed',
  scope: 'vouchers',
  idempotency: 'body',
  params: z.object({
    redemptionId: idField.meta({ description: '`id` of the redemption, from `GET /redemptions`' }),
  }),
  body: z.object({
    reason: z
      .string('must be text')
      .refine((text) => /^.{1,200}$/su.test(text), 'must have 1 to 200 characters')
      .nullish()
      .meta({
        description: 'Why, for you and the partner that issued the voucher: name no customer',
        examples: ['Wrong amount at the till'],
        minLength: 1,
        maxLength: 200,
      }),
    ...merchantFields,
  }),
  answer: z.object({
    id: idAnswer('redemption'),
    status: z.literal('SUCCESS').meta({ description: 'Always SUCCESS' }),
    amount: moneyAnswer('What went back in ETB, with the service fee', '205.000000'),
    creditedTo: creditedAnswer.meta({
      description: 'Where the value is: on the voucher again, or with the partner that issued it',
      examples: ['VOUCHER'],
    }),
    referenceNumber: textAnswer(
      "The mobile-money provider's reference of the reversal",
      'MM0123456789AB',
    ),
    ...echoedFields,
  }),
  reasons: [
    'merchant-not-found',
    'redemption-not-found',
    'reversal-in-progress',
    'redemption-reversed',
    'redemption-not-paid',
    'reversal-not-supported',
    'reversal-too-late',
    'database-failed',
    'reversal-refused',
    'key-reused',
    'still-processing',
  ],
  async handle({ services, company, params, body, key }) {
    const { redemptionId } = params;
    const reversed = await reverseRedemptionOnce(services, {
      company,
      key,
      redemptionId,
      reason: body.reason ?? null,
      content: body,
    });
    return replyOnce(reversed, ({ amount, creditedTo, providerReference }) =>
      reply(
        {
          id: redemptionId,
          status: 'SUCCESS',
          amount,
          creditedTo: creditedToAnswer(creditedTo),
          referenceNumber: providerReference,
          ...echoOf(body),
        },
        { message: 'Redemption reversed' },
      ),
    );
  },
});
