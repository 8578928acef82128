import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { textAnswer } from '../http/fields/answer-fields.ts';
import {
  idempotencyKeyField,
  metadataField,
  voucherCodeField,
} from '../http/fields/request-fields.ts';
import {
  echoedFields,
  redeemedFields,
  redemptionFields,
  SERVICE_FEE_RULE,
} from '../http/fields/voucher-fields.ts';
import { redeemOnce, redemptionReasons } from '../operations/voucher-operations.ts';

/** Completes a redemption at the calling merchant (specification 4.2). */
export const redeemGift = endpoint({
  method: 'POST',
  path: '/topup-transactions/redeem-gift',
  operation: 'redeem-gift',
  summary: 'Complete a redemption',
  description:
    `Pays the calling merchant by mobile money. ${SERVICE_FEE_RULE} Until the provider has ` +
    'answered, repeat the same request to get the result.',
  access: 'signed',
  scope: 'vouchers',
  idempotency: 'body',
  guessLimit: 'voucher-code',
  body: z.object({
    voucherCode: voucherCodeField,
    ...redemptionFields,
    idempotencyKey: idempotencyKeyField,
    metadata: metadataField.nullish(),
  }),
  answer: z.object({
    ...redeemedFields,
    platformReferenceNumber: textAnswer(
      'Our reference of the redemption, for questions to support',
      'RDM-0123456789ABCDEF',
    ),
    ...echoedFields,
  }),
  reasons: ['partner-unavailable', ...redemptionReasons],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const { result, replayed } = await redeemOnce(services, {
      ...body,
      company,
      lookUpVoucher,
      key,
      content: body,
      merchantId: null,
    });
    if (!result.ok) return { ...result, replayed };
    return reply(
      {
        response: 'The voucher was redeemed',
        referenceNumber: result.providerReference,
        platformReferenceNumber: result.platformReference,
        idempotencyKey: body.idempotencyKey,
        metadata: body.metadata ?? undefined,
      },
      { message: 'Voucher redeemed', replayed },
    );
  },
});
