import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ForeignPayloadError } from '../temporal/payload-codec.js';

/** The caller's time is up; the workflow goes on, and repeating the request gives its result. */
export class StillProcessingError extends Error {
  override readonly name = 'StillProcessingError';
}

/** Temporal cannot be reached or takes nothing more at the moment. */
export class WorkflowsUnavailableError extends Error {
  override readonly name = 'WorkflowsUnavailableError';

  constructor(
    /** Whether it is certain that nothing was started. */
    readonly isCertain: boolean,
    cause?: unknown,
  ) {
    super('The workflow could not be reached', { cause });
  }
}

/** gRPC's CANCELLED and DEADLINE_EXCEEDED. */
const DEADLINE_CODES = [1, 4];
const UNAVAILABLE_CODE = 14;

const grpcError = (error: unknown) =>
  [error, error instanceof Error ? error.cause : undefined].find(isGrpcServiceError);

/** Whether a call ended because nobody was there to answer it. */
export const foundNobody = (error: unknown): boolean => grpcError(error)?.code === UNAVAILABLE_CODE;

/**
 * Failures of an update that the server makes itself: the workflow ended in that moment, or its worker
 * lost the task that the update came with.
 */
const MISSED_UPDATES: readonly unknown[] = ['AcceptedUpdateCompletedWorkflow', 'UnprocessedUpdate'];

/** Whether an update missed its workflow, so that another one may find it. */
export const missedWorkflow = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof Error &&
  'type' in error.cause &&
  MISSED_UPDATES.includes(error.cause.type);

/**
 * What the failure of a call says. The native client repeats a call by itself, so that even "no
 * connection" leaves open whether its first try arrived.
 */
export function callError(error: unknown): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return new StillProcessingError('The workflow has not answered yet', { cause: error });
  // The workflow was ended by somebody else, or Temporal has lost it: what it has done is not known.
  if (
    missedWorkflow(error) ||
    error instanceof ForeignPayloadError ||
    error instanceof WorkflowNotFoundError
  )
    return new WorkflowsUnavailableError(false, error);
  const grpc = grpcError(error);
  if (!grpc) return error;
  return DEADLINE_CODES.includes(grpc.code)
    ? new StillProcessingError('The workflow has not answered yet', { cause: error })
    : new WorkflowsUnavailableError(false, error);
}
