import { isDefiniteDatabaseError } from '../db/connection.js';
import type { StoredOutcome } from '../db/operations.js';
import type { StoredOperation } from '../db/stored-operations.js';
import {
  acceptRequest,
  type NewTopup,
  recordTopup,
  withdrawRequest,
} from '../db/topup-requests.js';
import { describeError } from '../describe-error.js';
import { type Operation, refuse } from '../domain/errors.js';
import type { Caller } from '../domain/voucher.js';
import type { FailpointName } from '../failpoint.js';
import { WorkflowsUnavailableError } from '../http/call-error.js';
import type { RefusalReply, Reply } from '../http/envelope.js';
import {
  carryOut,
  identify,
  type OperationIdentity,
  type OperationResult,
  type Run,
  storedAnswer,
} from '../http/operation.js';
import type { Services } from '../http/services.js';
import { stillProcessing, type ToppedUp, topupAnswer } from './topup-answer.js';

/** Tops up once (design 6). */
export async function carryOutTopup(
  services: Services,
  request: {
    readonly company: Caller;
    readonly operation: Operation;
    readonly key: string | undefined;
    readonly topup: NewTopup;
  },
): Promise<Reply | RefusalReply> {
  const { company, topup } = request;
  const identity = identify(services, {
    company,
    kind: request.operation,
    key: request.key,
    content: topup,
  });
  return carryOutRecorded(services, identity, {
    failpoint: 'topup-drawn',
    async record() {
      const { transactionId, stored } = await recordTopup(services.database, identity, topup);
      if (transactionId === undefined) return { stored };
      return { stored, number: { transactionId, creationId: identity.operationId, attempt: 1 } };
    },
    run: ({ transactionId }, as, deadline) =>
      services.workflows.topUp({ ...as, transactionId }, deadline),
  });
}

/** What a caller can be told of a top-up whose end nobody knows. */
type Numbered = Parameters<typeof stillProcessing>[0];

/** A request that is written down before its workflow is asked. */
export interface RecordedSteps {
  /** Passed by once it is written down. */
  readonly failpoint: FailpointName;
  /** Writes it down, or finds what an earlier one under its key came to. */
  record(): Promise<{
    readonly stored: StoredOperation | undefined;
    /** Undefined of one that was refused. */
    readonly number?: Numbered | undefined;
  }>;
  run(number: Numbered, ...asked: Parameters<Run<ToppedUp>>): Promise<StoredOutcome<ToppedUp>>;
}

/**
 * Carries out a top-up or a retry that has a number before its workflow is asked. From the moment that
 * the request may have been sent, every fault answers "accepted and processing" with that number, so
 * that a lost answer never becomes a second top-up; it is an error only when it provably never left.
 */
export async function carryOutRecorded(
  services: Services,
  identity: OperationIdentity,
  { failpoint, record, run }: RecordedSteps,
): Promise<Reply | RefusalReply> {
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
  const answered = await carryOut<ToppedUp>(services, identity, runNumbered, look).catch((error) =>
    afterFault(services, identity, number, error),
  );
  const { result } = answered;
  if (result.ok || result.reason !== 'still-processing' || !number) return topupAnswer(answered);
  return accept(services, identity, number);
}

async function afterFault(
  services: Services,
  identity: OperationIdentity,
  number: Numbered | undefined,
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

/** The number is noted as told before it is, so that a refusal does not take it back. */
async function accept(
  services: Services,
  identity: OperationIdentity,
  number: Numbered,
): Promise<Reply | RefusalReply> {
  try {
    const operation = await acceptRequest(services.database, identity.operationId);
    // It was refused in this moment, and nothing of it is left.
    if (!operation) return refuse('unavailable', { retryAfterSeconds: 1 });
    if (operation.status !== 'RUNNING') {
      const answer = storedAnswer<ToppedUp>(operation, identity);
      if (answer) return topupAnswer(answer);
    }
  } catch (error) {
    services.logger.error(describeError(error), 'A number that a caller is told was not noted');
  }
  return stillProcessing(number);
}
