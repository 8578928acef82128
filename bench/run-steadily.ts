import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, type SendBenchCall, sendCall } from './run-load.ts';

/**
 * Sends at a steady rate, however long the answers take, and waits for all of them. The pauses vary, so
 * that several rates do not beat in time.
 *
 * @throws what the first failed call threw, once all have ended
 */
export async function runSteadily({
  send,
  perSecond,
  seconds,
  signal,
}: {
  readonly send: (send: SendBenchCall) => Promise<unknown>;
  readonly perSecond: number;
  readonly seconds: number;
  /** Ends the sending early. */
  readonly signal: AbortSignal;
}): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true });
  const milliseconds: number[] = [];
  const failures: unknown[] = [];
  const open = new Set<Promise<void>>();
  const begin = () => {
    const startedAt = performance.now();
    const answered = send((call) => sendCall(agent, call))
      .then(() => void milliseconds.push(performance.now() - startedAt))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => open.delete(answered));
    open.add(answered);
  };
  const start = performance.now();
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const dueAt = start + ((sent + Math.random()) * 1_000) / perSecond;
    const pauseMs = Math.max(0, dueAt - performance.now());
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    begin();
  }
  await Promise.all(open);
  agent.destroy();
  if (failures.length > 0) throw failures[0];
  return { rate: milliseconds.length / seconds, milliseconds };
}
