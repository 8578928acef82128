import { heartbeat } from '@temporalio/activity';

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
