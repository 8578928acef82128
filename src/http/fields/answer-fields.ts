import { z } from 'zod';
import type { ClaimMade } from '../../../workflows/contracts.ts';
import type { ShownReversal } from '../../db/vouchers/reversals.ts';
import { operators } from '../../domain/phone.ts';
import { topupKinds } from '../../domain/topup.ts';
import { reversalStates } from '../../domain/vouchers/redemption.ts';
import { amountField, msisdnField, verificationCodeField } from './request-fields.ts';

/** The fields that several answers have, each with its meaning and an example. */

export const idAnswer = (what: string) =>
  z.int().meta({ description: `Identifier of the ${what}`, examples: [17] });

export const timeAnswer = (what: string) =>
  z.iso
    .datetime()
    .meta({ description: `${what}, ISO 8601 in UTC`, examples: ['2026-11-21T20:55:04.459Z'] });

/** As the database keeps money: a decimal string with 6 fraction digits. */
export const moneyAnswer = (what: string, example = '500.000000') =>
  z.string().meta({
    description: `${what}; a decimal string with 6 fraction digits`,
    examples: [example],
    pattern: '^[0-9]+[.][0-9]{6}$',
  });

/** Text with its meaning. */
export const textAnswer = (description: string, ...examples: string[]) =>
  z.string().meta({ description, examples });

/** The kinds of top-ups. */
export const topupKindAnswer = z
  .enum(topupKinds)
  .meta({ title: 'TopUpKind', description: 'What is sent', examples: ['AIRTIME'] });

/** The mobile operator of a phone number. */
export const operatorAnswer = z
  .enum(operators)
  .meta({ title: 'MobileOperator', description: 'Operator of the number' });

/** The wallets that pay. */
export const payingWalletAnswer = z
  .enum(['gift', 'airtime'])
  .meta({ title: 'PayingWallet', description: 'The wallet', examples: ['gift'] });

/** The state of one payment or delivery. */
export const attemptStatusAnswer = z
  .enum(['PROCESSING', 'SUCCESS', 'FAILED'])
  .meta({ title: 'AttemptStatus', description: 'State of the attempt', examples: ['SUCCESS'] });

/** The states of payments and deliveries as callers see them. */
export const attemptStatuses = { HELD: 'PROCESSING', POSTED: 'SUCCESS', VOIDED: 'FAILED' } as const;

/** A phone number as answers show it. */
export const maskedMsisdnAnswer = z.string().meta({
  description: 'Phone number, partly masked; `erased` where the number was erased',
  examples: ['+2519*****567'],
  pattern: '^([+]?[0-9]+[*]{3,}[0-9]+|erased)$',
});

const SENT = {
  message: 'Verification code sent',
  text: 'A verification code was sent to the owner of the voucher',
};

const BEING_SENT = {
  message: 'Verification code being sent',
  text:
    'The verification code is being sent to the owner of the voucher; if it does not arrive, ' +
    'claim again',
};

/** The words of the answer to a claim (specification 4.1 and 4.2), which both surfaces have. */
export const claimWords = ({ sending }: ClaimMade) => (sending === 'unknown' ? BEING_SENT : SENT);

export const claimAnswer = textAnswer(
  'That the code was sent. Where the SMS provider has not said in time whether it took the code: that ' +
    'the code is being sent, and what to do if it does not arrive',
  SENT.text,
);

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

/** How the service fee is taken, for both descriptions of a redemption. */
export const SERVICE_FEE_RULE =
  'For a part of the balance, the merchant gets the whole part, and the service fee comes out of the ' +
  'remaining balance. For the whole balance, the fee is deducted from the payment.';

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

/** The values of these fields, as the request has them. */
export const echoOf = (request: {
  readonly idempotencyKey: string;
  readonly metadata?: string | null | undefined;
}) => ({ idempotencyKey: request.idempotencyKey, metadata: request.metadata ?? undefined });

/** Who got the value of a reversal. */
export const creditedAnswer = z.enum(['VOUCHER', 'PARTNER']).meta({ title: 'CreditedTo' });

/** The reversal of a redemption, as merchants and partners see it. */
export const reversalAnswer = z
  .object({
    status: z.enum(reversalStates).meta({
      description:
        'PENDING: the provider has not confirmed it; NEEDS_ACTION: pending, and support looks at ' +
        'it; SUCCESS: the payment and its fee went back; FAILED: refused, the payment stands',
      examples: ['SUCCESS'],
    }),
    requestedAt: timeAnswer('When the merchant asked for it'),
    settledAt: timeAnswer('When it ended; null while it is pending').nullable(),
    creditedTo: creditedAnswer.nullable().meta({
      description:
        'Where the value went: on the voucher again, or to the gift wallet of the partner; null ' +
        'unless it succeeded',
      examples: ['VOUCHER'],
    }),
    reason: textAnswer('Why, in the words of the merchant', 'Wrong amount at the till').nullable(),
    referenceNumber: textAnswer(
      "The mobile-money provider's reference of the reversal",
      'MM0123456789AB',
    ).nullable(),
  })
  .meta({ title: 'Reversal' })
  .nullable()
  .meta({ description: 'The newest reversal that the merchant asked for; null without one' });

const creditNames = { voucher: 'VOUCHER', gift: 'PARTNER' } as const;

/** Who got the value of a reversal, as answers name it. */
export const creditedToAnswer = (creditedTo: 'voucher' | 'gift') => creditNames[creditedTo];

/** A time of the database, as answers have it. */
export const isoTime = (text: string): string => new Date(text).toISOString();

export const presentReversal = (reversal: ShownReversal | null): z.output<typeof reversalAnswer> =>
  reversal && {
    status: reversal.status,
    requestedAt: isoTime(reversal.requestedAt),
    settledAt: reversal.settledAt === null ? null : isoTime(reversal.settledAt),
    creditedTo: reversal.creditedTo && creditNames[reversal.creditedTo],
    reason: reversal.reason,
    referenceNumber: reversal.providerReference,
  };
