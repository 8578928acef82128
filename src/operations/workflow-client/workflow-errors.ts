import {
  isGrpcServiceError,
  NamespaceNotFoundError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ForeignPayloadError } from '../../temporal/payload-codec.js';

/** The caller's time is up; the workflow continues, and a repeated request gets its result. */
export class StillProcessingError extends Error {
  override readonly name = 'StillProcessingError';
}

/** Temporal cannot be reached or rejects calls at the moment. */
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
/** The workflow task with the update failed, for example because a signal arrived at its end. */
const FAILED_PRECONDITION_CODE = 9;

const grpcError = (error: unknown) =>
  [error, error instanceof Error ? error.cause : undefined].find(isGrpcServiceError);

/** Whether a call failed because the service could not be reached. */
export const foundNobody = (error: unknown): boolean => grpcError(error)?.code === UNAVAILABLE_CODE;

/**
 * Failures of an update by the server itself: the workflow ended at that moment, or its worker lost
 * the workflow task.
 */
const MISSED_UPDATES: readonly unknown[] = ['AcceptedUpdateCompletedWorkflow', 'UnprocessedUpdate'];

/** Whether an update missed its workflow, so that a repeated one may find it. */
export const missedWorkflow = (error: unknown): boolean =>
  grpcError(error)?.code === FAILED_PRECONDITION_CODE ||
  (error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof Error &&
    'type' in error.cause &&
    MISSED_UPDATES.includes(error.cause.type));

/**
 * Classifies the failure of a call. The native client retries by itself, so even "no connection"
 * does not prove that its first attempt did not arrive.
 */
export function callError(error: unknown): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return new StillProcessingError('The workflow has not answered yet', { cause: error });
  // The workflow was terminated, or Temporal has lost it: its effect is unknown. One that has lost
  // everything has no namespace until a worker makes it again.
  if (
    missedWorkflow(error) ||
    error instanceof ForeignPayloadError ||
    error instanceof WorkflowNotFoundError ||
    error instanceof NamespaceNotFoundError
  )
    return new WorkflowsUnavailableError(false, error);
  const grpc = grpcError(error);
  if (!grpc) return error;
  return DEADLINE_CODES.includes(grpc.code)
    ? new StillProcessingError('The workflow has not answered yet', { cause: error })
    : new WorkflowsUnavailableError(false, error);
}
