import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 500;

/**
 * Repeats an attempt while it fails for a reason that passes by itself, such as a server that is
 * starting.
 *
 * @throws the last error once the time is up, and any other error at once
 */
export async function patiently<Result>(
  attempt: () => Promise<Result>,
  options: { readonly isPassing: (error: unknown) => boolean; readonly patienceMs: number },
): Promise<Result> {
  const endsAt = performance.now() + options.patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!options.isPassing(error) || performance.now() > endsAt) throw error;
    }
    await pause(PAUSE_MS);
  }
}
