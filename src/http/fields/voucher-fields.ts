import { z } from 'zod';
import { textAnswer } from './answer-fields.ts';
import { amountField, msisdnField, verificationCodeField } from './request-fields.ts';

/** The fields of claims and redemptions, which both surfaces have (specification 4.1 and 4.2). */

export const claimedAmountField = amountField.nullish().meta({
  description: 'Amount to claim in ETB; the whole balance where it is absent',
  examples: ['99.50'],
});

export const redemptionFields = {
  verificationCode: verificationCodeField.nullish().meta({
    description: 'Code that the owner got by SMS; an anonymous voucher needs none',
    examples: ['123456'],
  }),
  msisdn: msisdnField.nullish().meta({
    description: 'Phone number of the owner; best left out',
    examples: ['+251911234567'],
  }),
  amount: amountField.nullish().meta({
    description:
      'Amount of an anonymous voucher in ETB; of another voucher, the amount that was claimed',
    examples: ['99.50'],
  }),
};

/** How the service fee is taken (design 4), for both descriptions of a redemption. */
export const SERVICE_FEE_RULE =
  'Of a part of the balance, the merchant gets the whole part, and the service fee comes out of what ' +
  'remains. Of the whole balance, the fee is deducted.';

/** The answer to a redemption. */
export const redeemedFields = {
  response: textAnswer('That the voucher was redeemed', 'The voucher was redeemed'),
  referenceNumber: textAnswer("The mobile-money provider's reference of the transfer", 'MM-5501'),
};

/** What merchants send, and get back as they sent it. */
export const echoedFields = {
  idempotencyKey: textAnswer('The idempotency key of the request', 'order-2026-000417'),
  metadata: z
    .string()
    .optional()
    .meta({
      description: 'The metadata of the request; absent where there was none',
      examples: ['{"shop":"Bole","item":"Coffee"}'],
    }),
};
