import { z } from 'zod';
import type { AttemptRow } from '../db/topup-attempts.js';
import type { TopupRow } from '../db/topups.js';
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
});

/** Numbers are masked wherever they are shown. */
export const presentTopup = (topup: TopupRow): z.output<typeof topupSchema> => ({
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
});

const attemptStatuses = { HELD: 'PROCESSING', POSTED: 'SUCCESS', VOIDED: 'FAILED' } as const;

export const presentAttempt = (attempt: AttemptRow) => ({
  attempt: attempt.attempt,
  createdAt: attempt.created_at.toISOString(),
  settledAt: attempt.settled_at?.toISOString() ?? null,
  msisdn: maskMsisdn(attempt.msisdn),
  status: attemptStatuses[attempt.status],
  ourReference: attempt.reference,
  referenceNumber: attempt.provider_reference,
  message: attempt.provider_message,
});
