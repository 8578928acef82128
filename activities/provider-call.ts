import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ProviderOutcome } from '../src/providers/outcome.ts';

/** Well below the heartbeat timeout of the calls to providers. */
const INTERVAL_MS = 1_500;

/**
 * Heartbeats during a call to a provider, so that a worker's crash is noticed within seconds and
 * not after the timeout of the call.
 */
export async function withHeartbeat<Result>(call: () => Promise<Result>): Promise<Result> {
  const timer = setInterval(heartbeat, INTERVAL_MS);
  try {
    return await call();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Sends value. A retry after a crash proves nothing about the crashed attempt. Even if the retry is
 * refused or not sent, the first attempt may have succeeded, so only an inquiry decides. Where a
 * repetition could happen twice, there is none.
 */
export async function sendValue(
  send: () => Promise<ProviderOutcome>,
  repetition: 'safe' | 'later' | 'never' = 'safe',
  { attempt }: { readonly attempt: number } = activityInfo(),
): Promise<ProviderOutcome> {
  if (repetition !== 'safe' && attempt > 1)
    return { kind: 'unknown', message: 'a sending was cut off, and may have arrived' };
  const outcome = await withHeartbeat(send);
  const isDecided = outcome.kind === 'delivered' || outcome.kind === 'unknown';
  if (isDecided || attempt === 1) return outcome;
  return { kind: 'unknown', message: `sent again after a fault: ${outcome.message}` };
}

/**
 * Converts a moment by the clock of the Temporal server to the clock of this process, which may be
 * wrong. A worker that is ahead must not take a recent sending for an old one. The time that the
 * server has measured since then counts.
 *
 * @param serverMs in milliseconds since 1970
 */
export function onOwnClock(
  serverMs: number,
  {
    currentAttemptScheduledTimestampMs: askedMs,
  }: { readonly currentAttemptScheduledTimestampMs: number } = activityInfo(),
): Date {
  return new Date(Date.now() - (askedMs - serverMs));
}
