import { z } from 'zod';
import { outcomeFor, type StoredOutcome } from '../db/operations.js';
import { attemptOfOperation } from '../db/topup-attempts.js';
import { findTopup } from '../db/topups.js';
import { refuse } from '../domain/errors.js';
import { endpoint } from '../http/endpoint.js';
import { idField, msisdnField } from '../http/fields.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { carryOut, identify } from '../http/operation.js';
import { stillProcessing, type ToppedUp, topupAnswer } from './topup-answer.js';
import { topupAnswerSchema, topupReasons } from './topup-fields.js';

/** Retries a failed top-up, to another number too (specification 4.1). */
export const retryTopup = endpoint({
  method: 'POST',
  path: '/topup-transactions/retry-topup',
  operation: 'retry-topup',
  summary: 'Retry a failed top-up',
  description:
    'Holds the money again and makes one more attempt. Anything but a failed top-up is refused; two ' +
    'retries at the same moment make one attempt and get the same answer.',
  access: 'token',
  body: z.object({ transactionId: idField, msisdn: msisdnField.nullish() }),
  answer: topupAnswerSchema,
  reasons: [
    ...topupReasons,
    'topup-not-found',
    'topup-not-failed',
    'operator-mismatch',
    'amount-out-of-range',
  ],
  async handle({ services, company, body, headers }) {
    const key = idempotencyKeyOf(headers);
    if (!key.ok) return key;
    const identity = identify(services, {
      company,
      kind: 'retry-topup',
      key: key.value,
      content: body,
    });
    const topup = await findTopup(services.database, company.id, body.transactionId);
    if (!topup) return refuse('topup-not-found');
    // Repeated while its own attempt runs: it joins that one.
    const own = identity.hasKey
      ? await attemptOfOperation(services.database, identity.operationId)
      : undefined;
    const attempt = own?.attempt ?? topup.attempt + 1;
    const answered = await carryOut<ToppedUp>(
      services,
      identity,
      async (): Promise<StoredOutcome<ToppedUp>> => {
        if (topup.status !== 'FAILED' && !own)
          return outcomeFor<ToppedUp>(
            identity,
            refuse('topup-not-failed', { detail: `it is ${topup.status}` }),
          );
        const { result } = await services.workflows.retryTopUp(topup.operation_id, {
          ...identity,
          transactionId: topup.id,
          attempt,
          msisdn: body.msisdn ?? null,
        });
        // Whoever's attempt it was: this request joined it.
        return outcomeFor<ToppedUp>(identity, result);
      },
    );
    if (!answered.result.ok && answered.result.reason === 'still-processing') {
      const { id: transactionId, operation_id: creationId } = topup;
      return stillProcessing({ transactionId, creationId, attempt });
    }
    return topupAnswer(answered);
  },
});
