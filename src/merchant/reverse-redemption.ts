import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { idAnswer, moneyAnswer, textAnswer } from '../http/fields/answer-fields.ts';
import { idempotencyKeyField, idField, metadataField } from '../http/fields/request-fields.ts';
import { creditedAnswer, creditedToAnswer } from '../http/fields/reversal-fields.ts';
import { echoedFields } from '../http/fields/voucher-fields.ts';
import { reverseRedemptionOnce } from '../operations/reverse-redemption.ts';

/** Takes the payment of a redemption back (beyond the specification; design 10). */
export const reverseRedemption = endpoint({
  method: 'POST',
  path: '/redemptions/:redemptionId/reverse',
  operation: 'reverse-redemption',
  summary: 'Reverse a redemption',
  description:
    'Takes back the whole payment that you got for a redemption; the amount and its service fee are ' +
    'on the voucher again, and its owner is told by SMS. The value of a voucher that has expired or ' +
    'was cancelled goes to the partner that issued it. It is possible once, and within a limited ' +
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
        description: 'Why, for your own records',
        examples: ['Wrong amount at the till'],
        minLength: 1,
        maxLength: 200,
      }),
    idempotencyKey: idempotencyKeyField,
    metadata: metadataField.nullish(),
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
    const { result, replayed } = await reverseRedemptionOnce(services, {
      company,
      key,
      redemptionId,
      reason: body.reason ?? null,
      content: body,
    });
    if (!result.ok) return { ...result, replayed };
    return reply(
      {
        id: redemptionId,
        status: 'SUCCESS',
        amount: result.amount,
        creditedTo: creditedToAnswer(result.creditedTo),
        referenceNumber: result.providerReference,
        idempotencyKey: body.idempotencyKey,
        metadata: body.metadata ?? undefined,
      },
      { message: 'Redemption reversed', replayed },
    );
  },
});
