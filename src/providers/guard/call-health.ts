import { AsyncLocalStorage } from 'node:async_hooks';

interface CallHealth {
  isFaulty: boolean;
  isThrottled: boolean;
}

const currentCall = new AsyncLocalStorage<CallHealth>();

/**
 * How the call to a provider that is under way notes that the provider is out of order: no connection,
 * no answer in time, an answer of status 5xx. An outcome alone does not say that: "unknown" is also
 * what a healthy provider answers that has not finished yet.
 */
export function faultNote(): () => void {
  const call = currentCall.getStore();
  return () => {
    if (call) call.isFaulty = true;
  };
}

/** The call that is under way was not sent because the provider asks for fewer calls: it works. */
export function noteThrottling(): void {
  const call = currentCall.getStore();
  if (call) call.isThrottled = true;
}

/** Makes a call, and tells what was noted in it. */
export async function withHealth<Result>(
  make: () => Promise<Result>,
): Promise<{ readonly result: Result } & Readonly<CallHealth>> {
  const health: CallHealth = { isFaulty: false, isThrottled: false };
  const result = await currentCall.run(health, make);
  return { result, ...health };
}
