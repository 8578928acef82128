import type { TakenStatus } from './accepted-requests.ts';
import type { CallbackCourse } from './behaviours.ts';
import type { Waiting } from './delays.ts';

/** Pauses before an unacknowledged callback is repeated. */
const retrySeconds = [5, 30, 120];
const answerTimeoutMilliseconds = 5_000;

interface Callback {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

export interface CallbackSender {
  /**
   * Sends a callback; any 2xx acknowledges it. Resolves after the first attempt; repetitions continue
   * in the background.
   */
  send(callback: Callback): Promise<void>;
}

/** The statuses whose callbacks are sent for a new one, in this order. */
export const toldStatuses: Readonly<
  Record<CallbackCourse, (status: TakenStatus) => TakenStatus[]>
> = {
  once: (status) => [status],
  'before-the-answer': (status) => [status],
  twice: (status) => [status, status],
  lost: () => [],
  'out-of-order': (status) => [status, 'pending'],
};

/** Sends the callbacks of all simulated providers, until the sandbox closes. */
export function createCallbackSender(waiting: Waiting): CallbackSender {
  async function attempt({ method, url, headers, body }: Callback): Promise<boolean> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), answerTimeoutMilliseconds);
    try {
      const answer = await fetch(url, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any([limit.signal, waiting.ending]),
      });
      await answer.body?.cancel();
      return answer.ok;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async function repeat(callback: Callback): Promise<void> {
    for (const seconds of retrySeconds) {
      await waiting.wait(seconds);
      if (waiting.ending.aborted || (await attempt(callback))) return;
    }
  }

  return {
    async send(callback) {
      if (!(await attempt(callback))) void repeat(callback);
    },
  };
}
