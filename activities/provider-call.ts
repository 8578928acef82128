import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ProviderOutcome } from '../src/providers/outcome.js';

/** Well below the heartbeat time limit of the calls to providers. */
const INTERVAL_MS = 1_500;

/**
 * Heartbeats while a call to a provider is under way, so that the crash of a worker is noticed in
 * seconds and not only when the whole call would have timed out.
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
 * Sends value. A try after a crash says nothing about the try that crashed: that it was refused or
 * never left leaves open whether the first one was done, so only an inquiry may decide.
 */
export async function sendValue(send: () => Promise<ProviderOutcome>): Promise<ProviderOutcome> {
  const outcome = await withHeartbeat(send);
  const isDecided = outcome.kind === 'delivered' || outcome.kind === 'unknown';
  if (isDecided || activityInfo().attempt === 1) return outcome;
  return { kind: 'unknown', message: `sent again after a fault: ${outcome.message}` };
}
