import { outcomeFor } from '../db/operations/operations.ts';
import type { StoredOperation } from '../db/operations/stored-operations.ts';
import { recordRetry } from '../db/topups/retry-requests.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { Caller } from '../domain/voucher.ts';
import { identify, type RequestIdentity } from './run-once.ts';
import type { OperationServices } from './services.ts';
import { runRecordedOnce, type ToppedUp, type TopUpAnswer } from './top-up.ts';

/** Retries a failed top-up once, optionally to another number (specification 4.1). */
export async function retryOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly key: string | undefined;
    /** The content that the digest covers. */
    readonly content: object;
    readonly retry: { readonly transactionId: number; readonly msisdn: string | null };
  },
): Promise<TopUpAnswer> {
  const { company, key, content } = request;
  const { transactionId, msisdn } = request.retry;
  const identity = identify(services, { company, kind: 'retry-topup', key, content });
  return runRecordedOnce(services, identity, {
    failpoint: 'retry-recorded',
    async record() {
      const retry = {
        topupId: transactionId,
        msisdn: services.numbers.storeIfAny(msisdn),
      };
      const recorded = await recordRetry(services.database, identity, retry);
      if (!recorded) return { stored: refused(identity, refuse('topup-not-found')) };
      const { status, creationId, attempt, previous, stored } = recorded;
      const workflowId = recorded.workflowId;
      if (!recorded.isRecorded && !stored) {
        const refusal = refuse('topup-not-failed', { detail: `it is ${status}` });
        return { stored: refused(identity, refusal) };
      }
      return { stored, number: { transactionId, creationId, workflowId, attempt, previous } };
    },
    async run({ workflowId, attempt, previous }, as, deadline) {
      const command = { ...as, transactionId, attempt, msisdn };
      services.noteInLog?.({ workflowId });
      const { result, requestId } = await services.workflows.retryTopUp(workflowId, command, {
        previous,
        deadline,
      });
      // This request may have joined the attempt of another one.
      const isOwn = requestId === as.requestId;
      return outcomeFor<ToppedUp>(isOwn ? as : identity, result);
    },
  });
}

/** A refusal of this request in the form of a stored operation. */
const refused = (
  { requestId, requestDigest }: RequestIdentity,
  outcome: Refusal,
): StoredOperation => ({
  status: 'REFUSED',
  request_id: requestId,
  request_digest: requestDigest,
  outcome,
});
