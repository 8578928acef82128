import { z } from 'zod';
import { outcomeFor } from '../db/operations.js';
import type { StoredOperation } from '../db/stored-operations.js';
import { recordRetry } from '../db/topup-requests.js';
import { type Refusal, refuse } from '../domain/errors.js';
import { endpoint } from '../http/endpoint.js';
import { idField, msisdnField } from '../http/fields.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { identify, type OperationIdentity } from '../http/operation.js';
import { carryOutRecorded } from './carry-out-topup.js';
import type { ToppedUp } from './topup-answer.js';
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
    const { transactionId } = body;
    const msisdn = body.msisdn ?? null;
    return carryOutRecorded(services, identity, {
      failpoint: 'retry-recorded',
      async record() {
        const retry = { topupId: transactionId, msisdn };
        const recorded = await recordRetry(services.database, identity, retry);
        if (!recorded) return { stored: refused(identity, refuse('topup-not-found')) };
        const { status, creationId, attempt, stored } = recorded;
        if (!recorded.isRecorded && !stored) {
          const refusal = refuse('topup-not-failed', { detail: `it is ${status}` });
          return { stored: refused(identity, refusal) };
        }
        return { stored, number: { transactionId, creationId, attempt } };
      },
      async run({ creationId, attempt }, as, deadline) {
        const command = { ...as, transactionId, attempt, msisdn };
        const { result, requestId } = await services.workflows.retryTopUp(
          creationId,
          command,
          deadline,
        );
        // Whoever's attempt it was: this request joined it.
        const isOwn = requestId === as.requestId;
        return outcomeFor<ToppedUp>(isOwn ? as : identity, result);
      },
    });
  },
});

/** A refusal of this very request, in the form of what is stored of others. */
const refused = (
  { requestId, requestDigest }: OperationIdentity,
  outcome: Refusal,
): StoredOperation => ({
  status: 'REFUSED',
  request_id: requestId,
  request_digest: requestDigest,
  outcome,
});
