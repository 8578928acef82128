import { z } from 'zod';
import type { ListedAttempt } from '../../db/topups/topup-attempts.ts';
import type { ListedTopup } from '../../db/topups/topups.ts';
import { maskStored } from '../../domain/phone.ts';
import {
  attemptStatusAnswer,
  idAnswer,
  maskedMsisdnAnswer,
  moneyAnswer,
  textAnswer,
  timeAnswer,
  topupKindAnswer,
} from '../../http/fields/answer-fields.ts';

/** A top-up as partners see it; PENDING, PROCESSING and UNKNOWN are not final. */
export const topupSchema = z.object({
  transactionId: idAnswer('top-up, which a retry names'),
  createdAt: timeAnswer('When it was accepted'),
  updatedAt: timeAnswer('Time of the last change'),
  kind: topupKindAnswer,
  status: z.enum(['PENDING', 'PROCESSING', 'UNKNOWN', 'SUCCESS', 'FAILED']).meta({
    title: 'TopUpStatus',
    description:
      'PENDING, PROCESSING and UNKNOWN are still open; SUCCESS was delivered; FAILED can be retried',
    examples: ['SUCCESS'],
  }),
  amount: moneyAnswer(
    'Amount in ETB; null until the price of a package is known',
    '100.000000',
  ).nullable(),
  productId: idAnswer('package or airtime product; null before the service chose it').nullable(),
  msisdn: maskedMsisdnAnswer,
  referenceNumber: textAnswer(
    "The provider's reference of a delivered top-up",
    '2237512891',
  ).nullable(),
  message: textAnswer('Outcome for people', 'The top-up was delivered').nullable(),
  attempt: z.int().meta({ description: 'Number of the last attempt, from 1', examples: [1] }),
  charged: z.boolean().meta({
    description: 'Whether the wallet paid for it, late or not, without a refund',
    examples: [true],
  }),
  lateDelivery: z
    .object({
      deliveredAt: timeAnswer('When the late delivery was found'),
      settled: z.boolean().meta({
        description: 'Whether its cost is settled',
        examples: [false],
      }),
    })
    .meta({ title: 'LateDelivery' })
    .nullable()
    .meta({ description: 'The top-up failed, and the provider delivered it later' }),
  reversal: z
    .object({
      reversedAt: timeAnswer('When the reversal was found'),
      credited: z.boolean().meta({
        description: 'Whether the wallet has got the amount back',
        examples: [true],
      }),
    })
    .meta({ title: 'TopUpReversal' })
    .nullable()
    .meta({ description: 'The provider took the top-up back after the delivery' }),
});

const isoTime = (text: string): string => new Date(text).toISOString();

/** Phone numbers are always masked. */
export const presentTopup = (topup: ListedTopup): z.output<typeof topupSchema> => ({
  transactionId: topup.id,
  createdAt: topup.created_at.toISOString(),
  updatedAt: topup.updated_at.toISOString(),
  kind: topup.kind,
  status: topup.status,
  amount: topup.amount,
  productId: topup.product_id,
  msisdn: maskStored(topup.msisdn),
  referenceNumber: topup.provider_reference,
  message: topup.message,
  attempt: topup.attempt,
  charged: Boolean(topup.charged),
  lateDelivery: topup.late_delivery && {
    deliveredAt: isoTime(topup.late_delivery.at),
    settled: topup.late_delivery.is_settled,
  },
  reversal: topup.reversal && {
    reversedAt: isoTime(topup.reversal.at),
    credited: topup.reversal.is_credited,
  },
});

const attemptStatuses = { HELD: 'PROCESSING', POSTED: 'SUCCESS', VOIDED: 'FAILED' } as const;

export const attemptSchema = z
  .object({
    attempt: z.int().meta({ description: 'Number of the attempt, from 1', examples: [1] }),
    createdAt: timeAnswer('When the attempt began'),
    settledAt: timeAnswer('When it ended; null while it is open').nullable(),
    msisdn: maskedMsisdnAnswer,
    status: attemptStatusAnswer,
    ourReference: textAnswer(
      'Our reference of the attempt, which its number ends',
      '0123456789abcdef0123456789abcdef-1',
    ),
    referenceNumber: textAnswer("The provider's reference", '2237512891').nullable(),
    message: textAnswer('What the provider says of it', 'COMPLETED').nullable(),
    deliveredLateAt: timeAnswer(
      'When it was found to be delivered although it had failed',
    ).nullable(),
    reversedAt: timeAnswer('When it was found to be taken back').nullable(),
  })
  .meta({ title: 'TopUpAttempt' });

/** It was found delivered after it had failed. */
const isLate = ({ status, is_done }: ListedAttempt): boolean => status === 'VOIDED' && is_done;

export const presentAttempt = (attempt: ListedAttempt): z.output<typeof attemptSchema> => ({
  attempt: attempt.attempt,
  createdAt: attempt.created_at.toISOString(),
  settledAt: attempt.settled_at?.toISOString() ?? null,
  msisdn: maskStored(attempt.msisdn),
  status: isLate(attempt) ? 'SUCCESS' : attemptStatuses[attempt.status],
  ourReference: attempt.reference,
  referenceNumber: attempt.provider_reference,
  message: attempt.provider_message,
  deliveredLateAt: isLate(attempt) ? (attempt.changed_at?.toISOString() ?? null) : null,
  reversedAt:
    attempt.status === 'POSTED' && !attempt.is_done
      ? (attempt.changed_at?.toISOString() ?? null)
      : null,
});
