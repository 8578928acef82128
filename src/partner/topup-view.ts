import { z } from 'zod';
import type { AttemptRow } from '../db/topups/topup-attempts.js';
import type { ListedTopup } from '../db/topups/topups.js';
import { maskMsisdn } from '../domain/phone.js';

/** A top-up as partners see it; PENDING, PROCESSING and UNKNOWN are still open. */
export const topupSchema = z.object({
  transactionId: z.number(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  kind: z.enum(['AIRTIME', 'PACKAGE']),
  status: z.enum(['PENDING', 'PROCESSING', 'UNKNOWN', 'SUCCESS', 'FAILED']),
  amount: z.string().nullable(),
  productId: z.number().nullable(),
  msisdn: z.string(),
  referenceNumber: z.string().nullable(),
  message: z.string().nullable(),
  attempt: z.number(),
  /** Whether the wallet has paid for it, late or not, and has not got it back. */
  charged: z.boolean(),
  /** It failed, and the provider delivered it later all the same. */
  lateDelivery: z.object({ deliveredAt: z.iso.datetime(), settled: z.boolean() }).nullable(),
  /** The provider took it back after it had been delivered. */
  reversal: z.object({ reversedAt: z.iso.datetime(), credited: z.boolean() }).nullable(),
});

const isoTime = (text: string): string => new Date(text).toISOString();

/** Numbers are masked wherever they are shown. */
export const presentTopup = (topup: ListedTopup): z.output<typeof topupSchema> => ({
  transactionId: topup.id,
  createdAt: topup.created_at.toISOString(),
  updatedAt: topup.updated_at.toISOString(),
  kind: topup.kind,
  status: topup.status,
  amount: topup.amount,
  productId: topup.product_id,
  msisdn: maskMsisdn(topup.msisdn),
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

export const presentAttempt = (attempt: AttemptRow) => ({
  attempt: attempt.attempt,
  createdAt: attempt.created_at.toISOString(),
  settledAt: attempt.settled_at?.toISOString() ?? null,
  msisdn: maskMsisdn(attempt.msisdn),
  status: attempt.contradicted_at === null ? attemptStatuses[attempt.status] : 'SUCCESS',
  ourReference: attempt.reference,
  referenceNumber: attempt.provider_reference,
  message: attempt.provider_message,
  deliveredLateAt: attempt.contradicted_at?.toISOString() ?? null,
  reversedAt: attempt.reversed_at?.toISOString() ?? null,
});
