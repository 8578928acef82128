import { topupId } from '../../workflows/workflow-ids.ts';
import { isDefiniteDatabaseError } from '../db/connection.ts';
import { outcomeFor, type StoredOperation } from '../db/operations.ts';
import { topupNow } from '../db/topups/attempts.ts';
import {
  acceptRequest,
  type NewTopup,
  recordRetry,
  recordTopup,
  withdrawRequest,
} from '../db/topups/requests.ts';
import { type Operation, type OperationOutcome, type Refusal, refuse } from '../domain/refusals.ts';
import { refuseUnfailed } from '../domain/topup.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import type { FailpointName } from '../runtime/process/failpoint.ts';
import { describeError } from '../runtime/process/logger.ts';
import { WorkflowsUnavailableError } from './call-errors.ts';
import {
  identify,
  type OperationResult,
  type OperationServices,
  type RequestIdentity,
  type Run,
  runOnce,
  storedAnswer,
} from './run-once.ts';
import { calls } from './workflow-calls.ts';

/** The outcome of a top-up as its workflow returns it. */
interface ToppedUp {
  readonly ok: true;
  readonly transactionId: number;
  readonly referenceNumber: string;
}

/**
 * The number of a top-up and of its attempt, which is all a caller gets before the end, and its
 * workflow.
 */
export interface NumberedTopup {
  readonly transactionId: number;
  readonly creationId: string;
  readonly workflowId: string;
  readonly attempt: number;
}

/** The outcome of a top-up, or its number while the outcome is unknown. */
export type TopupAnswer = OperationResult<ToppedUp> | { readonly accepted: NumberedTopup };

/** A top-up as it was asked for: the content that the digest covers, with the number in clear (E.164). */
export type AskedTopup = Omit<NewTopup, 'msisdn'> & { readonly msisdn: string };

/** Tops up once. */
export async function topupOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly operation: Operation;
    readonly key: string | undefined;
    readonly topup: AskedTopup;
  },
): Promise<TopupAnswer> {
  const { company, topup } = request;
  const identity = identify(services, {
    company,
    kind: request.operation,
    key: request.key,
    content: topup,
  });
  return runRecordedOnce(services, identity, {
    failpoint: 'topup-numbered',
    async record() {
      const { operationId: creationId } = identity;
      const workflowIdFormat = topupId('%s', creationId);
      const recorded = await recordTopup(services.database, identity, {
        ...topup,
        msisdn: services.numbers.store(topup.msisdn),
        workflowIdFormat,
      });
      const { stored, topup: row } = recorded;
      return { stored, number: row && { ...row, creationId, attempt: 1 } };
    },
    run: ({ transactionId, workflowId }, as, deadline) => {
      services.noteInLog?.({ workflowId });
      const command = { ...as, transactionId };
      const asked = { workflowId, command, msisdn: topup.msisdn };
      return services.workflows.call(calls.topup, asked, deadline);
    },
  });
}

/** The steps of a request that is recorded before its workflow is called. */
interface RecordedSteps<Numbered extends NumberedTopup> {
  /** Reached once the request is recorded. */
  readonly failpoint: FailpointName;
  /** Records the request, or finds the outcome of an earlier one under its key. */
  record(): Promise<{
    readonly stored: StoredOperation | undefined;
    /** Undefined for a refused request. */
    readonly number?: Numbered | undefined;
  }>;
  run(number: Numbered, ...asked: Parameters<Run<ToppedUp>>): Promise<OperationOutcome<ToppedUp>>;
}

/**
 * Runs a top-up or a retry that has a number before its workflow is called. Once the request may
 * have been sent, every fault answers "accepted and processing" with that number, so that a lost
 * answer never becomes a second top-up. It is an error only when the request was provably never
 * sent.
 */
async function runRecordedOnce<Numbered extends NumberedTopup>(
  services: OperationServices,
  identity: RequestIdentity,
  { failpoint, record, run }: RecordedSteps<Numbered>,
): Promise<TopupAnswer> {
  let number: Numbered | undefined;
  const look = async () => {
    const recorded = await record();
    number = recorded.number;
    if (!recorded.stored) await services.failpoint(failpoint);
    return recorded.stored;
  };
  const runNumbered: Run<ToppedUp> = (as, deadline) => {
    if (!number) throw new Error('The top-up has no number');
    return run(number, as, deadline);
  };
  const answered = await runOnce(services, identity, runNumbered, look).catch((error) =>
    afterFault(services, identity, number, error),
  );
  const { result, replayed } = answered;
  if (result.ok) return answered;
  if (result.reason === 'topup-failed')
    return { result: await failureAsOfNow(services, result), replayed };
  if (result.reason !== 'still-processing' || !number) return answered;
  return accept(services, identity, number);
}

/**
 * A failure keeps its status code, and does not invite to retry what another attempt has delivered, or is being tried
 * again.
 */
async function failureAsOfNow({ database }: OperationServices, failure: Refusal): Promise<Refusal> {
  if (failure.transactionId === undefined) return failure;
  const { status } = await topupNow(database, failure.transactionId);
  if (status === 'FAILED') return failure;
  const reason = status === 'SUCCESS' ? 'topup-delivered-since' : 'topup-retried-since';
  return { ...failure, reason };
}

async function afterFault(
  services: OperationServices,
  identity: RequestIdentity,
  number: NumberedTopup | undefined,
  error: unknown,
): Promise<OperationResult<ToppedUp>> {
  if (number === undefined) {
    if (!isDefiniteDatabaseError(error)) throw error;
    services.logger.error(describeError(error), 'The database refused a top-up');
    return { result: refuse('database-failed'), replayed: false };
  }
  const isUnsent = error instanceof WorkflowsUnavailableError && error.isCertain;
  if (isUnsent && (await withdrawRequest(services.database, identity))) throw error;
  const { operationId } = identity;
  services.logger.error({ ...describeError(error), operationId }, 'The call of a top-up failed');
  return { result: refuse('still-processing'), replayed: false };
}

/**
 * Records that the caller gets the number before the answer, so that a refusal keeps the number.
 */
async function accept(
  services: OperationServices,
  identity: RequestIdentity,
  number: NumberedTopup,
): Promise<TopupAnswer> {
  try {
    const operation = await acceptRequest(services.database, identity.operationId);
    // The operation was refused concurrently, and deleted.
    if (!operation)
      return { result: refuse('unavailable', { retryAfterSeconds: 1 }), replayed: false };
    if (operation.status !== 'RUNNING') {
      const answer = storedAnswer<ToppedUp>(operation, identity);
      if (answer) return answer;
    }
  } catch (error) {
    services.logger.error(
      describeError(error),
      'Could not record the number of an accepted top-up',
    );
  }
  return { accepted: number };
}

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
): Promise<TopupAnswer> {
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
      const { status, isRecorded, stored, ...retried } = recorded;
      if (!isRecorded && !stored) {
        return { stored: refused(identity, refuseUnfailed(status)) };
      }
      return { stored, number: { transactionId, ...retried } };
    },
    async run({ workflowId, attempt, previous, isToPrevious }, as, deadline) {
      // In one form, because the workflow compares the numbers of concurrent retries.
      const other = isToPrevious ? null : msisdn;
      const numberHash = other === null ? undefined : services.numbers.hashOf(other);
      const command = { ...as, transactionId, attempt, msisdn: other, numberHash };
      services.noteInLog?.({ workflowId });
      const { result, requestId } = await services.workflows.call(
        calls.retry,
        { workflowId, command, previous },
        deadline,
      );
      // This request may have joined the attempt of another request.
      const isOwn = requestId === as.requestId;
      return outcomeFor(isOwn ? as : identity, result);
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
