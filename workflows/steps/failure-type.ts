import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** The error of a step; a local activity throws its own error without a wrapper. */
export const causeOf = (error: unknown): unknown =>
  error instanceof ActivityFailure ? error.cause : error;

/** The type of the failure of a step; undefined where it has none. */
export function failureType(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}
