import { isGrpcServiceError } from '@temporalio/client';

/** The status codes of gRPC that this service tells apart. */
export const grpcCodes = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** The status code of a failed call to Temporal, also where the client has wrapped its error. */
export const grpcCodeOf = (error: unknown): number | undefined =>
  [error, error instanceof Error ? error.cause : undefined].find(isGrpcServiceError)?.code;

/**
 * What Temporal answers while it is busy, starts, or has not yet done the first step of a workflow
 * that is to be read. The native client repeats only some of these, and only for seconds.
 */
const PASSING: readonly number[] = [
  grpcCodes.cancelled,
  grpcCodes.unknown,
  grpcCodes.deadlineExceeded,
  grpcCodes.resourceExhausted,
  grpcCodes.failedPrecondition,
  grpcCodes.aborted,
  grpcCodes.internal,
  grpcCodes.unavailable,
];

/** Whether the same call may succeed a moment later, with nothing changed. */
export const isTemporalBusy = (error: unknown): boolean => PASSING.includes(grpcCodeOf(error) ?? 0);
