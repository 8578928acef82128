import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { claimAnswer, claimWords } from '../http/fields/claim-answer.ts';
import {
  idempotencyKeyField,
  metadataField,
  voucherCodeField,
} from '../http/fields/request-fields.ts';
import { claimedAmountField, echoedFields } from '../http/fields/voucher-fields.ts';
import { claimOnce, claimReasons } from '../operations/voucher-operations.ts';

/** Starts a redemption at the calling merchant (specification 4.2). */
export const initiateClaim = endpoint({
  method: 'POST',
  path: '/topup-transactions/initiate-claim',
  operation: 'initiate-claim',
  summary: 'Start a redemption',
  description:
    'Sends the owner of the voucher a verification code by SMS. Without `amount` the whole balance ' +
    "is claimed. The claim fixes the merchant's service fee.",
  access: 'signed',
  scope: 'vouchers',
  idempotency: 'body',
  guessLimit: 'voucher-code',
  body: z.object({
    voucherCode: voucherCodeField,
    amount: claimedAmountField,
    idempotencyKey: idempotencyKeyField,
    metadata: metadataField.nullish(),
  }),
  answer: z.object({
    message: claimAnswer,
    ...echoedFields,
  }),
  reasons: ['partner-unavailable', ...claimReasons],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const { result, replayed } = await claimOnce(services, {
      company,
      lookUpVoucher,
      key,
      content: body,
      voucherCode: body.voucherCode,
      amount: body.amount,
    });
    if (!result.ok) return { ...result, replayed };
    const { message, text } = claimWords(result);
    return reply(
      { message: text, idempotencyKey: body.idempotencyKey, metadata: body.metadata ?? undefined },
      { message, replayed },
    );
  },
});
