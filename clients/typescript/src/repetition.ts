import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, NoAnswerError } from './errors.ts';
import type { Operation } from './operation.ts';

/** How long and how often a request is repeated. */
export interface RepetitionSettings {
  /** Requests of one call at most, the first one included; 8 by default. */
  readonly attempts: number;
  /** A call takes no longer than this, with all its requests and pauses; 120 by default. */
  readonly totalSeconds: number;
  /** The first pause; each one is twice as long, up to 30 seconds. 1 by default. */
  readonly firstPauseSeconds: number;
}

const LONGEST_PAUSE_SECONDS = 30;

/** Whether the same request can get another answer: docs/guides/integrate/repeat-safely.md. */
export function isRepeated(operation: Operation, error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  if (!(error instanceof ApiError)) return false;
  const { statusCode } = error;
  if (statusCode === 409) return operation.repeatsConflict;
  if ([408, 429].includes(statusCode) || (statusCode >= 4092 && statusCode <= 4095)) return true;
  // The transfer was refused: it is final.
  return error.httpStatus >= 500 && statusCode !== 5031;
}

/** Whether the request may have been carried out although this was the answer to it. */
export const leavesOpen = (operation: Operation, error: unknown): boolean =>
  isRepeated(operation, error) && !(error instanceof ApiError && error.statusCode === 429);

/** Whether an answer tells nothing of an earlier request that may have been carried out. */
export const isOfAccess = (error: unknown): boolean =>
  error instanceof ApiError && [401, 403, 429].includes(error.statusCode);

/**
 * The pause before the next request; "still processing" has its result within seconds.
 *
 * @param attempt the number of the request that has just failed, from 1
 */
export function pauseSeconds(
  attempt: number,
  error: unknown,
  { firstPauseSeconds }: RepetitionSettings,
): number {
  const isProcessing = error instanceof ApiError && [409, 4092].includes(error.statusCode);
  const growing = isProcessing
    ? firstPauseSeconds
    : Math.min(firstPauseSeconds * 2 ** (attempt - 1), LONGEST_PAUSE_SECONDS);
  const told = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(growing, told) + Math.random() * firstPauseSeconds;
}

/** @throws the signal's reason, once the caller has aborted */
export async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(seconds * 1_000, undefined, signal ? { signal } : {}).catch(() => undefined);
  signal?.throwIfAborted();
}
