import { topUpId } from '../../workflows/workflow-ids.ts';
import { isDefiniteDatabaseError } from '../db/connection.ts';
import type { StoredOutcome } from '../db/operations/operations.ts';
import type { StoredOperation } from '../db/operations/stored-operations.ts';
import { topupStatus } from '../db/topups/topup-attempts.ts';
import {
  acceptRequest,
  type NewTopup,
  recordTopup,
  withdrawRequest,
} from '../db/topups/topup-requests.ts';
import { type Operation, type Refusal, refuse } from '../domain/refusals.ts';
import type { Caller } from '../domain/voucher.ts';
import { describeError } from '../process/describe-error.ts';
import type { FailpointName } from '../process/failpoint.ts';
import {
  identify,
  type OperationResult,
  type RequestIdentity,
  type Run,
  runOnce,
  storedAnswer,
} from './run-once.ts';
import type { OperationServices } from './services.ts';
import { WorkflowsUnavailableError } from './workflow-client/workflow-errors.ts';

/** The outcome of a top-up as its workflow returns it. */
export interface ToppedUp {
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
export type TopUpAnswer = OperationResult<ToppedUp> | { readonly accepted: NumberedTopup };

/** Tops up once (design 6). */
export async function topUpOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly operation: Operation;
    readonly key: string | undefined;
    /** The content that the digest covers, with the number in clear (E.164). */
    readonly topup: Omit<NewTopup, 'msisdn'> & { readonly msisdn: string };
  },
): Promise<TopUpAnswer> {
  const { company, topup } = request;
  const identity = identify(services, {
    company,
    kind: request.operation,
    key: request.key,
    content: topup,
  });
  return runRecordedOnce(services, identity, {
    failpoint: 'topup-drawn',
    async record() {
      const { operationId: creationId } = identity;
      const workflowIdFormat = topUpId('%s', creationId);
      const recorded = await recordTopup(services.database, identity, {
        ...topup,
        msisdn: services.numbers.store(topup.msisdn),
        workflowIdFormat,
      });
      const { stored, topup: row } = recorded;
      if (!row) return { stored };
      const { id: transactionId, workflow_id: workflowId } = row;
      return { stored, number: { transactionId, creationId, workflowId, attempt: 1 } };
    },
    run: ({ transactionId, workflowId }, as, deadline) => {
      services.noteInLog?.({ workflowId });
      return services.workflows.topUp(workflowId, { ...as, transactionId }, topup.msisdn, deadline);
    },
  });
}

/** The steps of a request that is recorded before its workflow is called. */
export interface RecordedSteps<Numbered extends NumberedTopup> {
  /** Reached once the request is recorded. */
  readonly failpoint: FailpointName;
  /** Records the request, or finds the outcome of an earlier one under its key. */
  record(): Promise<{
    readonly stored: StoredOperation | undefined;
    /** Undefined for a refused one. */
    readonly number?: Numbered | undefined;
  }>;
  run(number: Numbered, ...asked: Parameters<Run<ToppedUp>>): Promise<StoredOutcome<ToppedUp>>;
}

/**
 * Runs a top-up or a retry that has a number before its workflow is called. Once the request may
 * have been sent, every fault answers "accepted and processing" with that number, so that a lost
 * answer never becomes a second top-up. It is an error only when the request was provably never
 * sent.
 */
export async function runRecordedOnce<Numbered extends NumberedTopup>(
  services: OperationServices,
  identity: RequestIdentity,
  { failpoint, record, run }: RecordedSteps<Numbered>,
): Promise<TopUpAnswer> {
  let number: Numbered | undefined;
  const look = async () => {
    const recorded = await record();
    number = recorded.number;
    if (!recorded.stored) await services.failpoint(failpoint);
    return recorded.stored;
  };
  const runNumbered: Run<ToppedUp> = (as, deadline) => {
    if (!number) throw new Error('A top-up without a number');
    return run(number, as, deadline);
  };
  const answered = await runOnce<ToppedUp>(services, identity, runNumbered, look).catch((error) =>
    afterFault(services, identity, number, error),
  );
  const { result, replayed } = answered;
  if (result.ok) return answered;
  if (replayed && result.reason === 'topup-failed')
    return { result: await failureAsOfNow(services, result), replayed };
  if (result.reason !== 'still-processing' || !number) return answered;
  return accept(services, identity, number);
}

/**
 * A failure that is told again keeps its status code, and does not invite to retry what was delivered
 * since, or is being tried again.
 */
async function failureAsOfNow({ database }: OperationServices, failure: Refusal): Promise<Refusal> {
  if (failure.transactionId === undefined) return failure;
  const status = await topupStatus(database, failure.transactionId);
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
  return { result: refuse('still-processing'), replayed: false };
}

/**
 * Records that the caller gets the number before the answer, so that a refusal keeps the number.
 */
async function accept(
  services: OperationServices,
  identity: RequestIdentity,
  number: NumberedTopup,
): Promise<TopUpAnswer> {
  try {
    const operation = await acceptRequest(services.database, identity.operationId);
    // It was refused concurrently and deleted.
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
