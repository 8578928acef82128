import {
  NamespaceNotFoundError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { grpcCodeOf, grpcCodes } from '../runtime/temporal/connection.ts';
import { ForeignPayloadError } from '../runtime/temporal/payload-codec.ts';

/** The caller's time is up; the workflow continues, and a repeated request gets its result. */
export class StillProcessingError extends Error {
  override readonly name = 'StillProcessingError';
}

/** Temporal cannot be reached or rejects calls at the moment. */
export class WorkflowsUnavailableError extends Error {
  override readonly name = 'WorkflowsUnavailableError';

  /** Whether it is certain that nothing was started. */
  readonly isCertain: boolean;

  constructor(isCertain: boolean, cause?: unknown) {
    super('The workflow could not be reached', { cause });
    this.isCertain = isCertain;
  }
}

const DEADLINE_CODES: readonly number[] = [grpcCodes.cancelled, grpcCodes.deadlineExceeded];

/** Whether a call failed because Temporal could not be reached. */
export const isUnreachable = (error: unknown): boolean =>
  grpcCodeOf(error) === grpcCodes.unavailable;

/**
 * Failures of an update by the server itself: the workflow ended at that moment, or its worker lost
 * the workflow task.
 */
const MISSED_UPDATES: readonly unknown[] = ['AcceptedUpdateCompletedWorkflow', 'UnprocessedUpdate'];

/** Whether an update missed its workflow, so that a repeated one may find it. */
export const missedWorkflow = (error: unknown): boolean =>
  // The workflow task with the update failed, for example because a signal arrived at its end.
  grpcCodeOf(error) === grpcCodes.failedPrecondition ||
  (error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof Error &&
    'type' in error.cause &&
    MISSED_UPDATES.includes(error.cause.type));

const wasTerminated = (error: unknown): boolean =>
  error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;

/**
 * Classifies the failure of a call. The native client retries by itself, so even "no connection"
 * does not prove that its first attempt did not arrive.
 */
export function callError(error: unknown): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return new StillProcessingError('The workflow has not answered yet', { cause: error });
  // The workflow was terminated, or Temporal has lost it: its effect is unknown. A server that has
  // lost everything has no namespace until a worker makes it again.
  if (
    missedWorkflow(error) ||
    wasTerminated(error) ||
    error instanceof ForeignPayloadError ||
    error instanceof WorkflowNotFoundError ||
    error instanceof NamespaceNotFoundError
  )
    return new WorkflowsUnavailableError(false, error);
  const code = grpcCodeOf(error);
  if (code === undefined) return error;
  return DEADLINE_CODES.includes(code)
    ? new StillProcessingError('The workflow has not answered yet', { cause: error })
    : new WorkflowsUnavailableError(false, error);
}
