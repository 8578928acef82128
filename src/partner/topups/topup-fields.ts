import { z } from 'zod';
import type { Reason } from '../../domain/refusals.ts';
import { idAnswer, textAnswer } from '../../http/fields/answer-fields.ts';

/** Without `status` while the top-up is being processed. */
export const topupAnswerSchema = z
  .object({
    transactionId: idAnswer('top-up, which a retry names'),
    status: z
      .literal('SUCCESS')
      .optional()
      .meta({ description: 'Absent while the top-up is being processed' }),
    message: textAnswer('What became of the top-up', 'The top-up was delivered'),
    referenceNumber: textAnswer(
      "The provider's reference of a delivered top-up; ours while it is being processed",
      '2237512891',
    ),
  })
  .meta({ title: 'TopUpResult' });

/** `data` of a failed top-up (specification 4.1). */
export const topupFailureSchema = z
  .object({
    transactionId: idAnswer('top-up, which a retry names'),
    status: z.literal('FAILED').meta({ description: 'It failed, and nothing was charged' }),
    referenceNumber: z.null().meta({ description: 'A failed top-up has no reference' }),
    message: textAnswer(
      'Why it failed, where the provider says so',
      'Subscriber not found',
    ).nullable(),
  })
  .meta({ title: 'FailedTopUp', description: 'Of a failed top-up (424)' });

/** The reasons of all top-up endpoints. */
export const topupReasons: readonly Reason[] = [
  'account-suspended',
  'product-not-accessible',
  'number-not-served',
  'money-insufficient',
  'daily-limit-reached',
  'number-limit-reached',
  'database-failed',
  'topup-failed',
  'topup-delivered-since',
  'topup-retried-since',
  'key-reused',
];
