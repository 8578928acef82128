import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idField, msisdnField } from '../../http/fields/request-fields.ts';
import { retryOnce } from '../../operations/retry-top-up.ts';
import { topupAnswer } from './topup-answer.ts';
import { topupAnswerSchema, topupReasons } from './topup-fields.ts';

/** Retries a failed top-up, optionally to another number (specification 4.1). */
export const retryTopup = endpoint({
  method: 'POST',
  path: '/topup-transactions/retry-topup',
  operation: 'retry-topup',
  summary: 'Retry a failed top-up',
  description:
    'Holds the money again and makes one more attempt. Only a failed top-up can be retried. Two ' +
    'concurrent retries make one attempt and get the same answer.',
  access: 'token',
  scope: 'topups',
  idempotency: 'header',
  body: z.object({
    transactionId: idField.meta({ description: '`transactionId` of a failed top-up' }),
    msisdn: msisdnField.nullish().meta({
      description:
        'Another number to send to; for a package, of the same operator; absent: the same number. ' +
        'Needed where the number was erased, which happens long after the last attempt',
    }),
  }),
  answer: topupAnswerSchema,
  reasons: [
    ...topupReasons,
    'topup-not-found',
    'topup-not-failed',
    'number-erased',
    'operator-mismatch',
    'amount-out-of-range',
  ],
  async handle({ services, company, body, key }) {
    const retry = { transactionId: body.transactionId, msisdn: body.msisdn ?? null };
    return topupAnswer(await retryOnce(services, { company, key, content: body, retry }));
  },
});
